@_spi(Baton) import BatonDigests
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) @testable import BatonKeys

/// A test case of RFC 4231.
struct CodeCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let key: [UInt8]
    let data: [UInt8]
    let code: String

    static let all = [
        CodeCase(
            testDescription: "1",
            key: [UInt8](repeating: 0x0B, count: 20),
            data: Array("Hi There".utf8),
            code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        CodeCase(
            testDescription: "2",
            key: Array("Jefe".utf8),
            data: Array("what do ya want for nothing?".utf8),
            code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        CodeCase(
            testDescription: "3",
            key: [UInt8](repeating: 0xAA, count: 20),
            data: [UInt8](repeating: 0xDD, count: 50),
            code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        CodeCase(
            testDescription: "4",
            key: Array(1...25),
            data: [UInt8](repeating: 0xCD, count: 50),
            code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
        ),
        CodeCase(
            testDescription: "6",
            key: [UInt8](repeating: 0xAA, count: 131),
            data: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        CodeCase(
            testDescription: "7",
            key: [UInt8](repeating: 0xAA, count: 131),
            data: Array(
                "This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm."
                    .utf8
            ),
            code: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
        ),
    ]
}

@Suite("Digests and encodings", .timeLimit(.minutes(60)))
struct DigestTests {
    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test("HMAC-SHA256 takes every byte of messages of up to four blocks at its place")
    func places() {
        // The hash of the codes of 0 to 200 bytes that count up, from another implementation.
        let messages = (0...200).map { length in (0..<length).map { UInt8($0) } }
        let secret = HMAC(secret: Array("secret".utf8))
        let codes = messages.flatMap { secret.code(for: $0) }
        let digest = SHA256.digest(of: codes)
        #expect(hexadecimal(digest) == "4e5b2d8acf1f9440d83b94b29e85eff24b26df798cac71ba7614cfc4afe3dad0")
    }

    @Test("HMAC-SHA256 has the values of RFC 4231", arguments: CodeCase.all)
    func code(test: CodeCase) {
        #expect(hexadecimal(HMAC(secret: test.key).code(for: test.data)) == test.code)
    }

    @Test("The codes of a secret do not depend on the codes before them")
    func codesInTurn() {
        for test in CodeCase.all {
            let codes = HMAC(secret: test.key)
            for length in 0...130 { _ = codes.code(for: [UInt8](repeating: 0xFF, count: length)) }
            #expect(hexadecimal(codes.code(for: test.data)) == test.code)
        }
    }

    @Test("CRC-32 has its check value")
    func checksum() {
        #expect(CRC32.checksum(of: Array("123456789".utf8)) == 0xCBF4_3926)
        #expect(CRC32.checksum(of: []) == 0)
    }

    @Test(
        "Base64 has the values of RFC 4648, with the alphabet of URLs",
        arguments: [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("foobar", "Zm9vYmFy")]
    )
    func base64(plain: String, text: String) {
        #expect(Base64URL.encoded(Array(plain.utf8)) == text)
        #expect(Base64URL.decoded(text.utf8) == Array(plain.utf8))
        #expect(Base64URL.encoded([0xFB, 0xFF, 0xFE]) == "-__-")
    }

    @Test("Every text of Base64 has one form", arguments: ["Zh", "Zm9", "A", "Zg==", "Zm 9v", "Zm9v\n", "+/+/", "é"])
    func base64Malformed(text: String) {
        #expect(Base64URL.decoded(text.utf8) == nil)
    }

    @Test("Base64 gives back all bytes", arguments: [1, UInt64.random(in: .min ... .max)])
    func base64RoundTrip(seed: UInt64) {
        var generator = SplitMix(seed: seed)
        for _ in 0..<500 {
            let bytes = generator.bytes(upTo: 80)
            #expect(Base64URL.decoded(Base64URL.encoded(bytes).utf8) == bytes, "seed \(seed)")
        }
    }

    @Test("The comparison in constant time finds every difference")
    func comparison() {
        let bytes = [UInt8](0..<32)
        #expect(bytes.isEqualInConstantTime(to: bytes))
        #expect(!bytes.isEqualInConstantTime(to: Array(bytes.dropLast())))
        for place in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[place] ^= 1 << bit
                #expect(!bytes.isEqualInConstantTime(to: changed))
            }
        }
    }
}
