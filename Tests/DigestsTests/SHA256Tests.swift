import CBatonDigest
import Testing

@_spi(Baton) import BatonDigests

@Suite("SHA-256", .timeLimit(.minutes(60)))
struct SHA256Tests {
    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// Bytes that differ from place to place.
    private static func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    }

    /// The digest in pieces, which end at places of the caller's choice.
    private static func digest(of bytes: [UInt8], inPiecesOf size: Int) -> [UInt8] {
        var hash = SHA256()
        var position = 0
        while position < bytes.count {
            let end = min(position + size, bytes.count)
            hash.update(Array(bytes[position..<end]))
            position = end
        }
        return hash.finish()
    }

    /// The vectors of FIPS 180-4 and of NIST's examples.
    private static let vectors: [(text: String, digest: String)] = [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
    ]

    @Test("The digests of NIST's examples")
    func examples() {
        for (text, digest) in Self.vectors {
            #expect(Self.hex(SHA256.digest(of: Array(text.utf8))) == digest)
            for size in 1...9 { #expect(Self.hex(Self.digest(of: Array(text.utf8), inPiecesOf: size)) == digest) }
        }
        let million = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
        let expected = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        for size in [1, 63, 64, 65, 4096, 999_983, 1_000_000] {
            #expect(Self.hex(Self.digest(of: million, inPiecesOf: size)) == expected, "pieces of \(size)")
        }
    }

    @Test("Messages of every length around a block, and every byte of them at its place, count")
    func lengths() {
        // The digests of the digests, from another implementation.
        let zeros = (0...130).map { [UInt8](repeating: 0, count: $0) }
        let counts = (0...200).map { length in (0..<length).map { UInt8($0) } }
        for (messages, expected) in [
            (zeros, "d6e99a52e4f306ac462a8669cfa9744fc9ac0cd54f1c1c92b91d2e3257397ead"),
            (counts, "64ef7c229fce2408b5336b6a542fea0e078c3a87d2da85cb3fc52e2008b65021"),
        ] {
            let digests = messages.flatMap { SHA256.digest(of: $0) }
            #expect(Self.hex(SHA256.digest(of: digests)) == expected)
        }
    }

    @Test("Around the ends of blocks, pieces of any size give the same digest")
    func pieces() {
        for count in [1, 54, 55, 56, 57, 63, 64, 65, 118, 119, 120, 121, 127, 128, 129, 1000] {
            let bytes = Self.bytes(count)
            let whole = SHA256.digest(of: bytes)
            #expect(whole.count == SHA256.length)
            for size in 1...min(count, 130) {
                #expect(Self.digest(of: bytes, inPiecesOf: size) == whole, "\(count) bytes in pieces of \(size)")
            }
            var other = bytes
            other[count / 2] ^= 1
            #expect(SHA256.digest(of: other) != whole)
        }
    }

    @Test("A copy goes on by itself, and an ended hash begins again")
    func copies() {
        var first = SHA256()
        first.update(Array("ab".utf8))
        var second = first
        second.update(Array("c".utf8))
        #expect(Self.hex(second.finish()) == Self.vectors[1].digest)
        first.update(Array("c".utf8))
        #expect(Self.hex(first.finish()) == Self.vectors[1].digest)
        #expect(Self.hex(first.finish()) == Self.vectors[0].digest)
        first.update([])
        first.update(Array("abc".utf8))
        #expect(Self.hex(first.finish()) == Self.vectors[1].digest)
    }

    @Test("The processor's own instructions and portable code agree on any number of blocks")
    func instructions() {
        for count in [0, 1, 2, 3, 16, 100] {
            let blocks = Self.bytes(count * Int(CDIGEST_BLOCK))
            var (quick, portable) = ([UInt32](repeating: 0, count: 8), [UInt32](repeating: 0, count: 8))
            cdigest_begin(&quick)
            cdigest_begin(&portable)
            cdigest_add(&quick, blocks, count)
            cdigest_add_portably(&portable, blocks, count)
            #expect(quick == portable, "\(count) blocks")
        }
    }
}
