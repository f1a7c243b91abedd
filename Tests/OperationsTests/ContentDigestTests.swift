@_spi(Baton) import BatonTestValues
import Testing

@_spi(Baton) import BatonOperations

@Suite("Digests of contents")
struct ContentDigestTests {
    @Test("A digest comes back from its bytes and its digits")
    func roundTrip() throws {
        var random = SplitMix(seed: 1)
        for _ in 0..<200 {
            let bytes = (0..<ContentDigest.length).map { _ in UInt8.random(in: 0 ... .max, using: &random) }
            let digest = try #require(ContentDigest(bytes: bytes))
            #expect(digest.bytes == bytes)
            #expect(digest.hexadecimal.utf8.count == 64 && digest.description == digest.hexadecimal)
            #expect(ContentDigest(hexadecimal: digest.hexadecimal) == digest)
            #expect(ContentDigest(bytes: (bytes + [0]).prefix(ContentDigest.length)) == digest)
        }
        let digits = String(repeating: "00", count: 30) + "0a9f"
        #expect(ContentDigest(hexadecimal: digits)?.bytes.suffix(3) == [0, 0x0A, 0x9F])
        #expect(SampleDigests.digest(0x0A9F).hexadecimal == digits)
    }

    @Test("Digests are in the order of their bytes")
    func order() {
        var random = SplitMix(seed: 2)
        for _ in 0..<200 {
            let digests = (0..<2).compactMap { _ in
                // Few values, so that the difference may be in any byte.
                ContentDigest(bytes: (0..<ContentDigest.length).map { _ in UInt8.random(in: 0...1, using: &random) })
            }
            #expect((digests[0] < digests[1]) == digests[0].bytes.lexicographicallyPrecedes(digests[1].bytes))
            #expect(!(digests[0] < digests[0]))
        }
        #expect([3, 1, 2].map { SampleDigests.digest($0) }.sorted() == [1, 2, 3].map { SampleDigests.digest($0) })
    }

    @Test("Other bytes and digits are no digest")
    func refused() {
        for count in [0, 1, 31, 33, 64] { #expect(ContentDigest(bytes: [UInt8](repeating: 0, count: count)) == nil) }
        let zeros = String(repeating: "0", count: 63)
        for end in ["", "00", "A", "g", " ", "é", "/", ":", "`"] {
            #expect(ContentDigest(hexadecimal: zeros + end) == nil, "\(end)")
        }
        for text in ["", "0", String(zeros.dropLast()) + "é"] { #expect(ContentDigest(hexadecimal: text) == nil) }
    }
}
