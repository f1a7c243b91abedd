@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonWire

@Suite("Bundles of messages")
struct MessageBundleTests {
    private func parts(of bytes: [UInt8]) throws -> [[UInt8]] {
        try bytes.withUnsafeBytes { buffer in try MessageBundle.parts(of: buffer).map { Array(buffer[$0]) } }
    }

    private func isBundle(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { MessageBundle.isBundle($0) } }

    @Test("A bundle has exactly these bytes, and one message stays as it is")
    func bytes() throws {
        var bundle = MessageBundle()
        #expect(bundle.isEmpty && bundle.overhead == 0)
        let nothing = bundle.take()
        #expect(nothing == nil)
        bundle.append([7, 8])
        #expect(!bundle.isEmpty && bundle.overhead == 0)
        let only = bundle.take()
        #expect(only == [7, 8] && bundle.isEmpty)
        bundle.append([7, 8])
        bundle.append([UInt8](repeating: 9, count: 300))
        bundle.append([1])
        #expect(bundle.overhead == 4 + 1 + 2 + 1)
        let expected: [UInt8] = [0xBA, 0x53, 3, 0, 2, 7, 8, 0xAC, 2] + [UInt8](repeating: 9, count: 300) + [1, 1]
        let taken = bundle.take()
        #expect(taken == expected)
        #expect(isBundle(expected) && !isBundle([0xBA, 0x51]) && !isBundle([0xBA]))
    }

    @Test("Messages come out in their order, in bundles within the limits", arguments: 0..<20 as Range<UInt64>)
    func manyMessages(seed: UInt64) throws {
        var generator = SplitMix(seed: seed)
        let longest = [1, 40, 20_000, MessageBundle.maximumLength * 2][Int(seed % 4)]
        let messages = (0..<2500).prefix(seed % 4 == 3 ? 40 : 2500).map { number in
            [UInt8](
                repeating: UInt8(truncatingIfNeeded: number),
                count: Int.random(in: 1...longest, using: &generator)
            )
        }
        var taken: [[UInt8]] = []
        var bundle = MessageBundle()
        func take() throws {
            let overhead = bundle.overhead
            guard let bytes = bundle.take() else { return }
            guard isBundle(bytes) else {
                #expect(overhead == 0)
                return taken.append(bytes)
            }
            let found = try parts(of: bytes)
            #expect(bytes.count <= MessageBundle.maximumLength)
            #expect((2...MessageBundle.maximumCount).contains(found.count))
            #expect(found.reduce(overhead) { $0 + $1.count } == bytes.count)
            taken += found
        }
        for message in messages {
            if !bundle.hasRoom(for: message.count) { try take() }
            bundle.append([0xBA] + message)
        }
        try take()
        let expected: [[UInt8]] = messages.map { [0xBA] + $0 }
        #expect(taken == expected)
    }

    @Test("A bundle of other numbers of messages than it tells, of one, of none, or of empty ones is refused")
    func refused() {
        let wrong: [[UInt8]] = [
            [0, 0], [1, 0, 1, 7], [2, 0, 1, 7], [2, 0, 1, 7, 0], [2, 0, 0, 1, 7], [2, 0, 1, 7, 2, 7],
            [3, 0, 1, 7, 1, 7], [2, 0, 1, 7, 1, 7, 1], [0, 1, 1, 7, 1, 7], [2], [],
            [2, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 1],
        ]
        for bytes in wrong {
            #expect(throws: WireError.self, "\(bytes)") { try parts(of: [0xBA, 0x53] + bytes) }
        }
        #expect((try? parts(of: [0xBA, 0x53, 2, 0, 1, 7, 1, 8])) == [[7], [8]])
        #expect(throws: WireError.self) { try parts(of: [0xBA, 0x52, 2, 0, 1, 7, 1, 8]) }
    }
}
