@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonZeroMQ
import Testing
@_spi(Baton) @testable import BatonKeys

@Suite("Join tokens", .timeLimit(.minutes(60)))
struct JoinTokenTests {
    /// A token's text with other bytes and a right checksum.
    private func text(_ bytes: [UInt8]) -> String {
        var bytes = bytes
        bytes.appendBigEndian(CRC32.checksum(of: bytes))
        return JoinToken.prefix + Base64URL.encoded(bytes)
    }

    private func sentence(_ text: String) -> String? {
        do throws(KeyError) {
            _ = try JoinToken(text)
            return nil
        } catch {
            let isOfOtherVersion = error.message.contains("version of Baton")
            #expect(error.code == (isOfOtherVersion ? .otherVersion : .invalidToken))
            return error.message
        }
    }

    @Test("A token gives back what it was made of", arguments: [1, UInt64.random(in: .min ... .max)])
    func roundTrip(seed: UInt64) throws {
        var generator = SplitMix(seed: seed)
        for _ in 0..<200 {
            let length = Int.random(in: 1...64, using: &generator)
            let name = String((0..<length).map { _ in "abcXYZ019".randomElement(using: &generator) ?? "a" })
            let hasAddress = Bool.random(using: &generator)
            let token = JoinToken(
                server: try #require(CurvePublicKey(bytes: (0..<32).map { _ in generator.bytes(upTo: 1).first ?? 0 })),
                secretKey: try #require(
                    CurveSecretKey(bytes: (0..<32).map { _ in generator.bytes(upTo: 1).first ?? 7 })
                ),
                role: try #require(Role.allCases.randomElement(using: &generator)),
                name: try keyName(name),
                address: hasAddress
                    ? try serverAddress("tcp://[::1]:\(Int.random(in: 1...65_535, using: &generator))") : nil
            )
            #expect(try JoinToken(token.text) == token, "seed \(seed)")
            #expect(try JoinToken(" \t" + token.text + "\r\n") == token, "seed \(seed)")
        }
    }

    @Test("A token of the longest name and address is read")
    func longest() throws {
        let address = "tcp://" + String(repeating: "a", count: 294)
        let token = try makeToken(.viewer, String(repeating: "a", count: 64), at: address)
        #expect(try JoinToken(token.text) == token)
    }

    @Test("A text without the form of a token is answered by one sentence")
    func malformed() throws {
        let good = try makeToken(.worker, "w1", at: "tcp://h:1").text
        #expect(sentence("") == "The token is empty.")
        #expect(sentence(" \n") == "The token is empty.")
        #expect(sentence("hello") == "The text is no token: it does not start with baton1-.")
        #expect(sentence("baton-") == "The text is no token: it does not start with baton1-.")
        #expect(sentence("baton2-AAAA")?.contains("another version") == true)
        #expect(sentence(String(repeating: "a", count: 2_000))?.contains("too long") == true)
        #expect(sentence(good + "=")?.contains("not copied as it is") == true)
        #expect(sentence(good + " " + good)?.contains("not copied as it is") == true)
        #expect(sentence("baton1-")?.contains("not copied whole") == true)
        #expect(sentence("baton1-AAAAAQ")?.contains("not copied whole") == true)
        #expect(sentence("baton1-AAAA")?.contains("not copied whole") == true)
    }

    @Test("Wrong content with a right checksum is answered by one sentence")
    func wrongContent() {
        let keys = [UInt8](repeating: 7, count: 64)
        #expect(sentence(text([]))?.contains("length") == true)
        #expect(sentence(text(keys + [1]))?.contains("length") == true)
        #expect(sentence(text(keys + [1, 5, 0x61]))?.contains("length") == true)
        #expect(sentence(text(keys + [1, 1, 0x61, 0, 9, 0x61]))?.contains("length") == true)
        #expect(sentence(text(keys + [1, 1, 0x61, 0, 0, 0]))?.contains("length") == true)
        #expect(sentence(text(keys + [9, 1, 0x61, 0, 0]))?.contains("role") == true)
        #expect(sentence(text(keys + [1, 0, 0, 0]))?.contains("name") == true)
        #expect(sentence(text(keys + [1, 1, 0x2D, 0, 0]))?.contains("name") == true)
        #expect(sentence(text(keys + [1, 1, 0xFF, 0, 0]))?.contains("name") == true)
        #expect(sentence(text(keys + [1, 1, 0x61, 0, 1, 0x20]))?.contains("address") == true)
        #expect(sentence(text(keys + [1, 1, 0x61, 0, 1, 0x1B]))?.contains("address") == true)
        #expect(sentence(text(keys + [1, 1, 0x61, 0, 1, 0x61])) == nil)
    }

    @Test("Every cut and every changed character is refused")
    func changed() throws {
        let good = Array(try makeToken(.client, "laptop", at: "tcp://h:1").text.utf8)
        for length in 0..<good.count {
            #expect(sentence(String(decoding: good[..<length], as: UTF8.self)) != nil)
        }
        for place in good.indices {
            var changed = good
            changed[place] = changed[place] == 0x41 ? 0x42 : 0x41
            #expect(sentence(String(decoding: changed, as: UTF8.self)) != nil)
        }
    }

    @Test("Random texts are refused, or are tokens", arguments: [2, UInt64.random(in: .min ... .max)])
    func random(seed: UInt64) throws {
        var generator = SplitMix(seed: seed)
        let good = Array(try makeToken(.client).text.utf8)
        for _ in 0..<3_000 {
            let texts = [
                String(decoding: generator.bytes(upTo: 200), as: UTF8.self),
                JoinToken.prefix + Base64URL.encoded(generator.bytes(upTo: 200)),
                text(generator.bytes(upTo: 200)),
                String(decoding: generator.mutated(good), as: UTF8.self),
            ]
            for text in texts {
                if let token = try? JoinToken(text) { #expect(try JoinToken(token.text) == token, "seed \(seed)") }
            }
        }
    }

    @Test("No description of a token, and no sentence about one, shows its secret")
    func hidden() throws {
        let token = try makeToken(.client, "laptop")
        var dumped = ""
        dump(token, to: &dumped)
        for text in ["\(token)", String(reflecting: token), "\([token])", dumped] {
            #expect(!text.contains(token.secretKey.z85))
            #expect(!text.contains(token.text.suffix(20)))
        }
        #expect("\(token)" == "(a join token of the client key laptop)")
        let cut = String(token.text.dropLast())
        #expect(sentence(cut)?.contains(cut.prefix(20)) == false)
    }

    @Test("The names of keys follow their rule")
    func names() {
        for name in ["a", "1", "w1", "A.b-c_d", String(repeating: "x", count: 64)] {
            #expect(KeyName(name)?.text == name)
        }
        for name in ["", "-a", ".a", "_a", "a b", "a/b", "é", "a\u{0}", "a\n", String(repeating: "x", count: 65)] {
            #expect(KeyName(name) == nil)
        }
    }

    @Test("The numbers of keys have one form")
    func numbers() {
        #expect(KeyNumber("1")?.rawValue == 1)
        #expect(KeyNumber("4294967295")?.rawValue == .max)
        for text in ["", "0", "01", "+1", "-1", " 1", "1 ", "4294967296", "99999999999", "१", "a"] {
            #expect(KeyNumber(text) == nil)
        }
        #expect(KeyNumber(KeyNumber(rawValue: 42).description) == KeyNumber(rawValue: 42))
    }
}
