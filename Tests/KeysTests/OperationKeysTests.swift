@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) @testable import BatonKeys

@Suite("Tokens of operations", .timeLimit(.minutes(60)))
struct OperationKeysTests {
    private let keys: OperationKeys
    private let claim = OperationClaim(
        incarnation: 7,
        recordToken: 3 << 40 | 9,
        job: 12,
        operation: 3,
        attempt: 2,
        worker: 5
    )

    init() throws {
        keys = try .made()
    }

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
        let token = keys.issuer(for: 5).token(for: claim)
        let read = try OperationToken(token.text)
        #expect(read == token)
        #expect(read.server == token.server)
        #expect(try read.keyPair() == token.keyPair())
        #expect(read.proof.claim == claim)
        #expect(OperationProof(bytes: read.proof.bytes) == token.proof)
        #expect(keys.isGenuine(read.proof))
        #expect(keys.issuer(for: 5).token(for: claim) == token)
    }

    @Test("A worker's keys make the same tokens after their journey to the worker")
    func issuer() throws {
        let issuer = keys.issuer(for: 5)
        let sent = try #require(OperationIssuer(bytes: issuer.bytes))
        #expect(sent.token(for: claim) == issuer.token(for: claim))
        for count in [0, 95, 97] { #expect(OperationIssuer(bytes: [UInt8](repeating: 1, count: count)) == nil) }
    }

    @Test("A worker makes the text of a token without the token", arguments: [1, UInt64.random(in: .min ... .max)])
    func text(seed: UInt64) {
        var generator = SplitMix(seed: seed)
        for _ in 0..<100 {
            let worker = generator.next()
            let claim = OperationClaim(
                incarnation: generator.next(),
                recordToken: generator.next(),
                job: UInt32(truncatingIfNeeded: generator.next()),
                operation: UInt32(truncatingIfNeeded: generator.next()),
                attempt: UInt32(truncatingIfNeeded: generator.next()),
                worker: worker
            )
            let issuer = keys.issuer(for: worker)
            let token = issuer.token(for: claim)
            #expect(issuer.text(for: claim) == Array(token.text.utf8), "seed \(seed)")
            #expect(keys.isGenuine(token.proof), "seed \(seed)")
        }
    }

    @Test("A token of another secret is not genuine")
    func otherSecret() throws {
        let other = try OperationKeys.made()
        #expect(!keys.isGenuine(other.issuer(for: 5).token(for: claim).proof))
    }

    @Test("A token that a worker made for another worker's attempt is not genuine")
    func otherWorker() {
        #expect(!keys.isGenuine(keys.issuer(for: 6).token(for: claim).proof))
    }

    @Test("A token with another claim is not genuine")
    func otherClaim() {
        let code = keys.issuer(for: 5).token(for: self.claim).proof.code
        func claim(
            _ incarnation: UInt64 = 7,
            _ token: UInt64 = 3 << 40 | 9,
            _ job: UInt32 = 12,
            _ operation: UInt32 = 3,
            _ attempt: UInt32 = 2,
            _ worker: UInt64 = 5
        ) -> OperationClaim {
            OperationClaim(
                incarnation: incarnation,
                recordToken: token,
                job: job,
                operation: operation,
                attempt: attempt,
                worker: worker
            )
        }
        #expect(keys.isGenuine(OperationProof(claim: claim(), code: code)))
        let usual: UInt64 = 3 << 40 | 9
        for other in [
            claim(8), claim(7, usual - 1), claim(7, usual, 13), claim(7, usual, 12, 4), claim(7, usual, 12, 3, 1),
            claim(7, usual, 12, 3, 2, 6),
        ] {
            #expect(!keys.isGenuine(OperationProof(claim: other, code: code)))
        }
    }

    @Test("Every changed character is refused, not genuine or of another server, and every cut is refused")
    func changed() throws {
        let token = keys.issuer(for: 5).token(for: claim)
        let good = Array(token.text.utf8)
        for length in 0..<good.count { #expect(sentence(String(decoding: good[..<length], as: UTF8.self)) != nil) }
        for place in good.indices {
            var bytes = good
            bytes[place] = bytes[place] == 0x41 ? 0x42 : 0x41
            guard let changed = try? OperationToken(String(decoding: bytes, as: UTF8.self)) else { continue }
            let isOfOtherKeys = changed.server != token.server || changed.transportKey != token.transportKey
            #expect(isOfOtherKeys || !keys.isGenuine(changed.proof))
        }
    }

    @Test("A text that is no token is answered by one sentence")
    func malformed() {
        #expect(sentence("")?.contains("empty") == true)
        #expect(sentence("hello")?.contains("does not start with bt1-.") == true)
        #expect(sentence("bt1-")?.contains("length") == true)
        #expect(sentence("bt1-AAAA")?.contains("length") == true)
        #expect(sentence("bt1-AA=")?.contains("character") == true)
        #expect(sentence("bt1-" + String(repeating: "A", count: 180))?.contains("length") == true)
        #expect(sentence("bt1-" + String(repeating: "A", count: 4_000))?.contains("length") == true)
    }

    @Test("Random texts are refused or not genuine", arguments: [1, UInt64.random(in: .min ... .max)])
    func random(seed: UInt64) {
        var generator = SplitMix(seed: seed)
        for _ in 0..<1_000 {
            let bytes = Bool.random(using: &generator) ? generator.bytes(upTo: 200) : (0..<132).map { _ in 0 }
            for text in [String(decoding: bytes, as: UTF8.self), OperationToken.prefix + Base64URL.encoded(bytes)] {
                guard let token = try? OperationToken(text) else { continue }
                #expect(!keys.isGenuine(token.proof), "seed \(seed)")
                #expect((try? OperationToken(token.text)) == token, "seed \(seed)")
            }
            if let proof = OperationProof(bytes: bytes) { #expect(!keys.isGenuine(proof), "seed \(seed)") }
        }
    }

    @Test("No description of a token or a secret shows a secret")
    func hidden() {
        let issuer = keys.issuer(for: 5)
        let token = issuer.token(for: claim)
        let credential = Credential.operation(token)
        var dumped = ""
        dump(token, to: &dumped)
        dump(token.proof, to: &dumped)
        dump(keys, to: &dumped)
        dump(issuer, to: &dumped)
        dump(credential, to: &dumped)
        #expect("\(token)" == "(a token of operation 12/3 attempt 2)")
        #expect("\(token.proof)" == "(a proof of operation 12/3 attempt 2)")
        let texts = [
            "\(token)", String(reflecting: token), "\(token.proof)", "\(keys)", "\(issuer)", String(reflecting: issuer),
            "\(credential)", String(reflecting: credential), dumped,
        ]
        for text in texts {
            #expect(!text.contains(token.text.suffix(20)))
            #expect(!text.contains("- \(token.proof.code[0])\n"))
            #expect(!text.contains("\(token.proof.code[0]), \(token.proof.code[1])"))
            #expect(!text.contains("\(issuer.bytes[70]), \(issuer.bytes[71])"))
        }
    }
}
