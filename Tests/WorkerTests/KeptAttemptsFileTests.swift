import Foundation
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("The file of kept attempts")
struct KeptAttemptsFileTests {
    private static let kept = KeptAttempts(
        moment: Timestamp(rawValue: 5_000_000),
        attempts: [
            KeptAttempts.Attempt(
                claim: ClaimedAttempt(
                    token: AttemptToken(epoch: 2, serial: 7, of: Incarnation(rawValue: 9)),
                    operation: OperationID(job: JobNumber(12), index: 3),
                    attempt: 2,
                    phase: .finished,
                    isHook: true,
                    age: 30
                ),
                result: AttemptResult(
                    end: .exited(3),
                    microseconds: 20,
                    standardOutput: OutputTail(totalLength: 4, bytes: Array("out\n".utf8)),
                    result: [0, 255]
                ),
                age: 10
            ),
            KeptAttempts.Attempt(
                claim: ClaimedAttempt(
                    token: AttemptToken(epoch: 2, serial: 8),
                    operation: OperationID(job: JobNumber(12), index: 4),
                    attempt: 1,
                    phase: .waiting
                ),
                result: nil,
                age: 0
            ),
        ]
    )

    private func reason(_ file: KeptAttemptsFile) -> String? {
        if case .unusable(let why) = file.read() { why } else { nil }
    }

    private func content(_ file: KeptAttemptsFile) -> KeptAttempts? {
        if case .kept(let kept) = file.read() { kept } else { nil }
    }

    private func isMissing(_ file: KeptAttemptsFile) -> Bool {
        if case .missing = file.read() { true } else { false }
    }

    @Test("A file reads as it was written, and a later one replaces it")
    func roundTrip() async throws {
        try await withTemporaryDirectory { directory in
            let file = KeptAttemptsFile(path: directory + "/kept")
            #expect(isMissing(file))
            for attempts in [Self.kept.attempts, [Self.kept.attempts[1]], []] {
                let kept = KeptAttempts(moment: Self.kept.moment, attempts: attempts)
                try file.write(kept)
                #expect(content(file) == kept)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["kept"])
            file.remove()
            #expect(isMissing(file))
        }
    }

    @Test("A file of several megabytes reads as it was written")
    func large() async throws {
        try await withTemporaryDirectory { directory in
            let file = KeptAttemptsFile(path: directory + "/kept")
            var kept = Self.kept
            for serial in 100..<108 {
                var attempt = kept.attempts[0]
                attempt.claim.token = AttemptToken(epoch: 2, serial: UInt64(serial))
                attempt.result?.result = [UInt8](repeating: UInt8(serial), count: AttemptResult.maximumResultLength)
                kept.attempts.append(attempt)
            }
            try file.write(kept)
            #expect(content(file) == kept)
        }
    }

    @Test("A file with any damage cannot be used, for a reason in a sentence")
    func damaged() async throws {
        try await withTemporaryDirectory { directory in
            let file = KeptAttemptsFile(path: directory + "/kept")
            try file.write(Self.kept)
            let bytes = try Data(contentsOf: URL(filePath: file.path))
            for position in bytes.indices {
                for damaged in [bytes.prefix(position), flipping(position, of: bytes)] {
                    try damaged.write(to: URL(filePath: file.path))
                    let why = try #require(reason(file), "byte \(position)")
                    #expect(why.hasSuffix("."), "\(why)")
                }
            }
            try (bytes + [0]).write(to: URL(filePath: file.path))
            #expect(reason(file) != nil)
            file.putAside()
            #expect(isMissing(file))
            #expect(FileManager.default.fileExists(atPath: file.damagedPath))
        }
    }

    private func flipping(_ position: Int, of bytes: Data) -> Data {
        var bytes = bytes
        bytes[position] ^= 0x10
        return bytes
    }

    @Test("A file of a later format is named as such, and anything but a file cannot be used")
    func otherFormats() async throws {
        try await withTemporaryDirectory { directory in
            let file = KeptAttemptsFile(path: directory + "/kept")
            try Data("baton-kept 2 whatever\n".utf8).write(to: URL(filePath: file.path))
            #expect(reason(file)?.contains("format 2") == true)
            file.remove()
            try FileManager.default.createDirectory(atPath: file.path, withIntermediateDirectories: false)
            #expect(reason(file)?.contains("it is a link, or no ordinary file") == true)
            #expect(throws: FileFailure.self) { try file.write(Self.kept) }
        }
    }

    @Test("Ages grow with the time since the file was written, by a clock that may be set back")
    func ages() {
        let later = Self.kept.attempts(at: Timestamp(rawValue: 6_000_000))
        #expect(later.map(\.age) == [1_000_010, 0])
        #expect(later.map(\.claim.age) == [1_000_030, 0])
        #expect(Self.kept.attempts(at: Timestamp(rawValue: 0)) == Self.kept.attempts)
        let last = Self.kept.attempts(at: Timestamp(rawValue: .max))
        #expect(last.allSatisfy { $0.age >= 0 })
    }
}
