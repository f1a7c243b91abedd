import Testing
@_spi(Baton) @testable import BatonKeys

@Suite("Tokens of operations", .timeLimit(.minutes(15)))
struct OperationKeysTests {
    private let keys = OperationKeys(secret: .generate())
    private let claim = OperationClaim(incarnation: 7, recordToken: 3 << 40 | 9, job: 12, operation: 3, attempt: 2)

    private func sentence(_ text: String) -> String? {
        do throws(KeyError) {
            _ = try OperationToken(text)
            return nil
        } catch {
            #expect(error.code == .invalidToken)
            return error.message
        }
    }

    @Test("A token is genuine after its journey as text, and says which attempt it is of")
    func genuine() throws {
        let token = keys.token(for: claim)
        let read = try OperationToken(token.text)
        #expect(read == token)
        #expect(read.claim == claim)
        #expect(keys.isGenuine(read))
        #expect(keys.token(for: claim) == token)
    }

    @Test("A token of another secret is not genuine")
    func otherSecret() {
        #expect(!keys.isGenuine(OperationKeys(secret: .generate()).token(for: claim)))
    }

    @Test("A token with another claim is not genuine")
    func otherClaim() {
        let code = keys.token(for: claim).code
        for other in [
            OperationClaim(incarnation: 8, recordToken: 3 << 40 | 9, job: 12, operation: 3, attempt: 2),
            OperationClaim(incarnation: 7, recordToken: 3 << 40 | 8, job: 12, operation: 3, attempt: 2),
            OperationClaim(incarnation: 7, recordToken: 3 << 40 | 9, job: 13, operation: 3, attempt: 2),
            OperationClaim(incarnation: 7, recordToken: 3 << 40 | 9, job: 12, operation: 4, attempt: 2),
            OperationClaim(incarnation: 7, recordToken: 3 << 40 | 9, job: 12, operation: 3, attempt: 1),
        ] {
            #expect(!keys.isGenuine(OperationToken(claim: other, code: code)))
        }
    }

    @Test("Every changed character is refused or not genuine, and every cut is refused")
    func changed() {
        let good = Array(keys.token(for: claim).text.utf8)
        for length in 0..<good.count { #expect(sentence(String(decoding: good[..<length], as: UTF8.self)) != nil) }
        for place in good.indices {
            var bytes = good
            bytes[place] = bytes[place] == 0x41 ? 0x42 : 0x41
            guard let token = try? OperationToken(String(decoding: bytes, as: UTF8.self)) else { continue }
            #expect(!keys.isGenuine(token))
        }
    }

    @Test("A text that is no token is answered by one sentence")
    func malformed() {
        #expect(sentence("")?.contains("empty") == true)
        #expect(sentence("hello")?.contains("starts with bt1-") == true)
        #expect(sentence("bt1-")?.contains("length") == true)
        #expect(sentence("bt1-AAAA")?.contains("length") == true)
        #expect(sentence("bt1-AA=")?.contains("character") == true)
        #expect(sentence("bt1-" + String(repeating: "A", count: 84))?.contains("length") == true)
        #expect(sentence("bt1-" + String(repeating: "A", count: 4_000))?.contains("length") == true)
    }

    @Test("Random texts are refused or not genuine", arguments: [1, UInt64.random(in: .min ... .max)])
    func random(seed: UInt64) {
        var generator = SplitMix(state: seed)
        for _ in 0..<1_000 {
            let bytes = Bool.random(using: &generator) ? generator.bytes(upTo: 120) : (0..<60).map { _ in 0 }
            for text in [String(decoding: bytes, as: UTF8.self), OperationToken.prefix + Base64URL.encoded(bytes)] {
                guard let token = try? OperationToken(text) else { continue }
                #expect(!keys.isGenuine(token), "seed \(seed)")
                #expect((try? OperationToken(token.text)) == token, "seed \(seed)")
            }
        }
    }

    @Test("No description of a token or a secret shows a secret")
    func hidden() {
        let token = keys.token(for: claim)
        var dumped = ""
        dump(token, to: &dumped)
        dump(keys, to: &dumped)
        #expect("\(token)" == "(a token of operation 12/3 attempt 2)")
        for text in ["\(token)", String(reflecting: token), "\(keys)", dumped] {
            #expect(!text.contains(token.text.suffix(20)))
            #expect(!text.contains("- \(token.code[0])\n"))
        }
    }
}
