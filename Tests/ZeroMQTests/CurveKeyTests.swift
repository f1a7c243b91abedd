@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonZeroMQ

@Suite("CURVE keys", .timeLimit(.minutes(60)))
struct CurveKeyTests {
    /// The example keys of zmq_curve(7).
    static let secretText = "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6"
    static let publicText = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"

    @Test("A public key is computed from its secret key")
    func publicComputed() throws {
        let secret = try #require(CurveSecretKey(z85: Self.secretText))
        #expect(try secret.publicKey().z85 == Self.publicText)
        let pair = try CurveKeyPair.generate()
        #expect(try CurveKeyPair(secretKey: pair.secretKey) == pair)
    }

    @Test("Generated keys differ")
    func generatedDiffer() throws {
        let keys = try (0..<20).map { _ in try CurveKeyPair.generate() }
        #expect(Set(keys.map(\.publicKey)).count == 20)
        #expect(keys[0].secretKey != keys[1].secretKey)
    }

    @Test("A key gives back its bytes and its text", arguments: [1, 2, UInt64.random(in: .min ... .max)])
    func roundTrip(seed: UInt64) throws {
        var generator = SplitMix(seed: seed)
        for _ in 0..<200 {
            let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            let key = try #require(CurvePublicKey(bytes: bytes), "seed \(seed)")
            #expect(key.bytes == bytes, "seed \(seed)")
            #expect(key.z85.utf8.count == 40)
            #expect(CurvePublicKey(z85: key.z85) == key, "seed \(seed)")
            let secret = try #require(CurveSecretKey(bytes: bytes))
            #expect(secret.bytes == bytes)
            #expect(CurveSecretKey(z85: secret.z85) == secret)
        }
    }

    @Test("A key has 32 bytes", arguments: [0, 1, 31, 33, 40, 64])
    func length(count: Int) {
        #expect(CurvePublicKey(bytes: [UInt8](repeating: 1, count: count)) == nil)
        #expect(CurveSecretKey(bytes: [UInt8](repeating: 1, count: count)) == nil)
    }

    /// Texts of wrong lengths and with characters outside Z85.
    ///
    /// They have a type, and do not stand within `@Test`: there the compiler takes a minute to find the types of so many sums.
    private static let malformedTexts: [String] = {
        let short = String(publicText.dropLast())
        let shorter = String(publicText.dropLast(2))
        return [
            "", "a", short, "\(publicText)a", "\(publicText)aaaaa", "\(short) ", "\(short)\u{0}", "\(shorter)é",
            "\(short)\"", String(repeating: "#", count: 40), String(repeating: "\u{0}", count: 40),
        ]
    }()

    @Test("A text that is no key is refused", arguments: malformedTexts)
    func malformed(text: String) {
        #expect(CurvePublicKey(z85: text) == nil)
        #expect(CurveSecretKey(z85: text) == nil)
    }

    @Test(
        "Random texts are refused, or are keys that print as the text",
        arguments: [3, UInt64.random(in: .min ... .max)]
    )
    func randomTexts(seed: UInt64) {
        var generator = SplitMix(seed: seed)
        for _ in 0..<2_000 {
            let length = Bool.random(using: &generator) ? 40 : Int.random(in: 0...60, using: &generator)
            let bytes = (0..<length).map { _ in UInt8.random(in: 0x20...0x7E, using: &generator) }
            let text = String(decoding: bytes, as: UTF8.self)
            if let key = CurvePublicKey(z85: text) { #expect(key.z85 == text, "seed \(seed)") }
        }
    }

    @Test("No description of a secret key shows the key")
    func hidden() throws {
        let pair = try CurveKeyPair.generate()
        let secret = pair.secretKey
        let words = "\(secret.bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) })"
        let server = SocketSecurity.curveServer(secretKey: pair.secretKey, domain: "d")
        let client = SocketSecurity.curveClient(server: pair.publicKey, key: pair)
        for value in [secret, pair, server, client] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] {
                #expect(!text.contains(secret.z85))
                #expect(!text.contains(words))
            }
        }
    }

    @Test("Secret keys are equal if all bytes are equal", arguments: [0, 7, 8, 31])
    func compared(position: Int) throws {
        let bytes = (0..<32).map { UInt8($0) }
        var changed = bytes
        changed[position] ^= 0x80
        #expect(CurveSecretKey(bytes: bytes) == CurveSecretKey(bytes: bytes))
        #expect(CurveSecretKey(bytes: bytes) != CurveSecretKey(bytes: changed))
    }
}
