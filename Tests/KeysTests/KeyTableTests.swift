@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonZeroMQ
import Testing
@_spi(Baton) @testable import BatonKeys

@Suite("The table of keys", .timeLimit(.minutes(60)))
struct KeyTableTests {
    private func table(_ names: [String]) throws -> KeyTable {
        var table = KeyTable()
        for name in names {
            try table.authorize(
                .publicKey(try CurveKeyPair.generate().publicKey),
                name: try keyName(name),
                role: .client,
                at: 5
            )
        }
        return table
    }

    @Test("A key is found by its public key, its number and its name")
    func found() throws {
        var table = KeyTable()
        let key = try CurveKeyPair.generate().publicKey
        let made = try table.authorize(.publicKey(key), name: try keyName("laptop"), role: .viewer, at: 100)
        #expect(made.number == KeyNumber(rawValue: 1))
        #expect(table[key] == made)
        #expect(table[made.number] == made)
        #expect(table[made.name] == made)
        #expect((made.role, made.madeAt, made.isRevoked) == (.viewer, 100, false))
        #expect(table[try CurveKeyPair.generate().publicKey] == nil)
        #expect(table[KeyNumber(rawValue: 2)] == nil)
        #expect(table[try keyName("other")] == nil)
    }

    @Test("A revoked key is still found by public key and number, and no longer by its name")
    func revoked() throws {
        var table = try table(["a", "b"])
        let revoked = try table.revoke(try keyName("a"), at: 9)
        #expect(revoked.revokedAt == 9)
        #expect(table[revoked.number] == revoked)
        #expect(table[revoked.identity]?.isRevoked == true)
        #expect(table[try keyName("a")] == nil)
        #expect(throws: KeyError.self) { try table.revoke(try keyName("a"), at: 10) }
        #expect(throws: KeyError.self) { try table.revoke(try keyName("none"), at: 10) }
        #expect(table[revoked.number]?.revokedAt == 9)
    }

    @Test("A name is free again after its revocation, under a new number")
    func nameAgain() throws {
        var table = try table(["a"])
        let key = try CurveKeyPair.generate().publicKey
        let error = #expect(throws: KeyError.self) {
            try table.authorize(.publicKey(key), name: try keyName("a"), role: .client, at: 1)
        }
        #expect(error?.code == .nameInUse)
        let first = try table.revoke(try keyName("a"), at: 2)
        let second = try table.authorize(.publicKey(key), name: try keyName("a"), role: .worker, at: 3)
        #expect(second.number > first.number)
        #expect(table[try keyName("a")] == second)
        #expect(table.keys.count == 2)
    }

    @Test("A public key is never authorized twice, not even after its revocation")
    func publicKeyOnce() throws {
        var table = KeyTable()
        let key = try CurveKeyPair.generate().publicKey
        try table.authorize(.publicKey(key), name: try keyName("a"), role: .client, at: 1)
        try table.revoke(try keyName("a"), at: 2)
        let error = #expect(throws: KeyError.self) {
            try table.authorize(.publicKey(key), name: try keyName("b"), role: .client, at: 3)
        }
        #expect(error?.code == .keyInUse)
        #expect(table.nextNumber == KeyNumber(rawValue: 2))
    }

    @Test(
        "A table gives back its text, with numbers that were left out",
        arguments: [1, UInt64.random(in: .min ... .max)]
    )
    func roundTrip(seed: UInt64) throws {
        var generator = SplitMix(seed: seed)
        var table = KeyTable()
        for number in 0..<50 {
            let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            let key = try #require(CurvePublicKey(bytes: bytes))
            let role = try #require(Role.allCases.randomElement(using: &generator))
            let name = try keyName("k\(number % 20)")
            if table[name] != nil { try table.revoke(name, at: Int64(number)) }
            try table.authorize(
                .publicKey(key),
                name: name,
                role: role,
                at: Int64.random(in: 0...1 << 40, using: &generator)
            )
            if Int.random(in: 0..<5, using: &generator) == 0 {
                table.skipNumbers(to: KeyNumber(rawValue: table.nextNumber.rawValue + 3))
            }
            #expect(try KeyTable(text: table.text, path: "f") == table, "seed \(seed)")
        }
    }

    @Test(
        "A table that was changed at a wrong time can be read",
        arguments: [-99_999, 885_390_663_449, .min, .max] as [Int64]
    )
    func wrongClock(time: Int64) throws {
        var table = KeyTable()
        let key = try CurveKeyPair.generate().publicKey
        try table.authorize(.publicKey(key), name: try keyName("a"), role: .client, at: time)
        try table.revoke(try keyName("a"), at: time)
        #expect(try KeyTable(text: table.text, path: "f") == table)
        let nearest: Int64 = time < 0 ? 0 : 253_402_300_799
        let kept = try #require(table.keys.first)
        #expect(kept.madeAt == nearest && kept.revokedAt == nearest)
    }

    @Test("A malformed table is refused with its file and line")
    func malformed() throws {
        let key = try CurveKeyPair.generate().publicKey.z85
        let other = try CurveKeyPair.generate().publicKey.z85
        let cases: [(String, Int?)] = [
            ("", nil), ("baton-keys 1", nil), ("\n", 1), ("hello\nend 1 0\n", 1), ("baton-keys 2\nend 1 0\n", 1),
            ("baton-keys 1\n", 1), ("baton-keys 1\n1 client a \(key) 5 -\n", 2),
            ("baton-keys 1\n\nend 1 0\n", 2), ("baton-keys 1\n1 client a \(key) 5\nend 2 1\n", 2),
            ("baton-keys 1\n0 client a \(key) 5 -\nend 2 1\n", 2),
            ("baton-keys 1\n4294967295 client a \(key) 5 -\nend 2 1\n", 2),
            ("baton-keys 1\n1 owner a \(key) 5 -\nend 2 1\n", 2),
            ("baton-keys 1\n1 client -a \(key) 5 -\nend 2 1\n", 2),
            ("baton-keys 1\n1 client a \(key.dropLast()) 5 -\nend 2 1\n", 2),
            ("baton-keys 1\n1 client a \(key) -5 -\nend 2 1\n", 2),
            ("baton-keys 1\n1 client a \(key) 5 x\nend 2 1\n", 2),
            ("baton-keys 1\n1 client a \(key) 5  -\nend 2 1\n", 2),
            ("baton-keys 1\n2 client a \(key) 5 -\n1 client b \(other) 5 -\nend 3 2\n", 3),
            ("baton-keys 1\n1 client a \(key) 5 -\n2 client a \(other) 5 -\nend 3 2\n", 3),
            ("baton-keys 1\n1 client a \(key) 5 -\n2 client b \(key) 5 -\nend 3 2\n", 3),
            ("baton-keys 1\n1 client a \(key) 5 -\nend 1 1\n", 3),
            ("baton-keys 1\n1 client a \(key) 5 -\nend 2 2\n", 3),
            ("baton-keys 1\n1 client a \(key) 5 -\nend 2\n", 3),
            ("baton-keys 1\nend 1 0\nend 1 0\n", 2),
        ]
        for (text, line) in cases {
            let error = #expect(throws: KeyError.self, "\(text)") { try KeyTable(text: text, path: "/k/authorized") }
            #expect(error?.code == .malformed)
            #expect(error?.path == "/k/authorized")
            #expect(error?.line == line, "\(text)")
            #expect(error?.message.contains("/k/authorized") == true)
        }
    }

    @Test("Every cut of a table is refused")
    func cut() throws {
        let text = Array(try table(["a", "b", "c"]).text.utf8)
        for length in 0..<text.count {
            let cut = String(decoding: text[..<length], as: UTF8.self)
            #expect(throws: KeyError.self) { try KeyTable(text: cut, path: "f") }
        }
    }

    @Test("Changed tables are refused, or are tables", arguments: [3, UInt64.random(in: .min ... .max)])
    func random(seed: UInt64) throws {
        var generator = SplitMix(seed: seed)
        let text = Array(try table(["a", "b", "c"]).text.utf8)
        for _ in 0..<2_000 {
            for bytes in [generator.bytes(upTo: 200), generator.mutated(text)] {
                guard let read = try? KeyTable(text: String(decoding: bytes, as: UTF8.self), path: "f") else {
                    continue
                }
                #expect(try KeyTable(text: read.text, path: "f") == read, "seed \(seed)")
            }
        }
    }

    @Test("A full table authorizes no more keys")
    func full() throws {
        var table = KeyTable()
        table.skipNumbers(to: KeyNumber(rawValue: .max))
        let error = #expect(throws: KeyError.self) {
            try table.authorize(
                .publicKey(try CurveKeyPair.generate().publicKey),
                name: try keyName("a"),
                role: .client,
                at: 1
            )
        }
        #expect(error?.code == .tableFull)
    }
}
