@_spi(Baton) import BatonZeroMQ
import Glibc
import Testing
@_spi(Baton) @testable import BatonKeys

@Suite("The table of keys in the record", .timeLimit(.minutes(60)))
struct KeyTableSealTests {
    let first: Scratch
    let second: Scratch

    /// Two homes with the same keys.
    init() throws {
        first = try Scratch()
        second = try Scratch()
        let receiver = try #require(KeyName("b"))
        _ = try first.keys.authorize(receiver, role: .coordinator, address: nil, at: 1)
        try second.keys.take(first.keys.coordinatorKeys(for: receiver, at: 2))
        try first.keys.revoke(receiver, at: 2)
    }

    private func name(_ text: String) throws -> KeyName { try #require(KeyName(text)) }

    /// The table of a home as its coordinator keeps it in the record.
    private func sealed(_ home: Scratch) throws -> String {
        let keys = try home.keys.open(at: 3)
        return KeyTableSeal(of: keys.key.secretKey).seal(keys.table)
    }

    private func isRevoked(_ text: String, in home: Scratch) throws -> Bool? {
        try home.keys.table()?.keys.first { $0.name.text == text }?.isRevoked
    }

    @Test("Additions and revocations reach the other home, several at once or one by one", arguments: [1, 2, 17])
    func changes(step: Int) throws {
        #expect(try second.keys.adopt(sealedTable: sealed(first)) == .same)
        for number in 1...34 {
            let key = try name("k\(number)")
            _ = try first.keys.authorize(key, role: .worker, address: nil, at: 4)
            if number.isMultiple(of: 3) { try first.keys.revoke(key, at: 5) }
            guard number.isMultiple(of: step) else { continue }
            #expect(try second.keys.adopt(sealedTable: sealed(first)) == .adopted)
            #expect(try second.keys.table() == first.keys.table())
            let before = try identity(of: second.file("authorized"))
            #expect(try second.keys.adopt(sealedTable: sealed(first)) == .same)
            #expect(try identity(of: second.file("authorized")) == before, "the same table is not written again")
        }
    }

    @Test("Each change of the table gives another fingerprint, which the sealed table has too, under any key")
    func fingerprints() throws {
        var seen: Set<String> = []
        func check() throws {
            let table = try #require(try first.keys.table())
            #expect(seen.insert(table.fingerprint).inserted)
            #expect(try KeyTableSeal.fingerprint(ofSealed: sealed(first)) == table.fingerprint)
            let other = KeyTableSeal(of: try CurveKeyPair.generate().secretKey)
            #expect(KeyTableSeal.fingerprint(ofSealed: other.seal(table)) == table.fingerprint)
            #expect(try second.keys.adopt(sealedTable: sealed(first)) != .refused)
            #expect(try second.keys.table()?.fingerprint == table.fingerprint)
        }
        try check()
        for number in 1...9 {
            let key = try name("k\(number)")
            _ = try first.keys.authorize(key, role: .worker, address: nil, at: 4)
            try check()
            if number.isMultiple(of: 2) {
                try first.keys.revoke(key, at: 5)
                try check()
            }
        }
        #expect(!seen.contains(KeyTableSeal.fingerprint(ofSealed: "no sealed table")))
    }

    @Test("An earlier table changes nothing, whoever puts it back")
    func earlier() throws {
        let key = try name("laptop")
        _ = try first.keys.authorize(key, role: .client, address: nil, at: 4)
        let early = try sealed(first)
        try first.keys.revoke(key, at: 5)
        #expect(try second.keys.adopt(sealedTable: sealed(first)) == .adopted)
        for home in [first, second] {
            #expect(try home.keys.adopt(sealedTable: early) == .ahead)
            #expect(try isRevoked("laptop", in: home) == true)
        }
    }

    @Test("Of tables that went apart, the revocations of common keys count, and no key is added or lost")
    func apart() throws {
        let (common, here, there) = (try name("common"), try name("here"), try name("there"))
        _ = try first.keys.authorize(common, role: .client, address: nil, at: 4)
        #expect(try second.keys.adopt(sealedTable: sealed(first)) == .adopted)
        _ = try first.keys.authorize(here, role: .client, address: nil, at: 5)
        _ = try second.keys.authorize(there, role: .worker, address: nil, at: 5)
        try first.keys.revoke(common, at: 6)
        #expect(try second.keys.adopt(sealedTable: sealed(first)) == .diverged)
        #expect(try isRevoked("common", in: second) == true)
        #expect(try isRevoked("there", in: second) == false)
        #expect(try isRevoked("here", in: second) == nil)
    }

    @Test(
        "Revocations on one host and changes on the other are brought together, whoever has changed first",
        arguments: [1, 4],
        [false, true]
    )
    func revokedOnTheOtherHost(additions: Int, isRevokedFirst: Bool) throws {
        let common = try (1...3).map { try name("common\($0)") }
        for key in common { _ = try first.keys.authorize(key, role: .client, address: nil, at: 4) }
        #expect(try second.keys.adopt(sealedTable: sealed(first)) == .adopted)
        if isRevokedFirst { try second.keys.revoke(common[0], at: 5) }
        for number in 1...additions {
            _ = try first.keys.authorize(name("added\(number)"), role: .worker, address: nil, at: 6)
        }
        try first.keys.revoke(common[1], at: 7)
        if !isRevokedFirst { try second.keys.revoke(common[0], at: 8) }

        #expect(try second.keys.adopt(sealedTable: sealed(first)) == .ahead)
        #expect(try isRevoked("common1", in: second) == true)
        #expect(try isRevoked("common2", in: second) == true)
        #expect(try isRevoked("common3", in: second) == false)
        for number in 1...additions { #expect(try isRevoked("added\(number)", in: second) == false) }
        #expect(try isRevoked("common1", in: first) == false, "the record has nothing of it yet")

        #expect(try first.keys.adopt(sealedTable: sealed(second)) == .adopted)
        #expect(try first.keys.table() == second.keys.table())
    }

    @Test("A host with more keys takes over the revocations of the other one, and stays ahead")
    func revokedBeforeTheAdditions() throws {
        let common = try name("common")
        _ = try first.keys.authorize(common, role: .client, address: nil, at: 4)
        #expect(try second.keys.adopt(sealedTable: sealed(first)) == .adopted)
        _ = try second.keys.authorize(name("there"), role: .worker, address: nil, at: 5)
        try first.keys.revoke(common, at: 6)
        #expect(try second.keys.adopt(sealedTable: sealed(first)) == .ahead)
        #expect(try isRevoked("common", in: second) == true)
        #expect(try isRevoked("there", in: second) == false)
        #expect(try first.keys.adopt(sealedTable: sealed(second)) == .adopted)
    }

    @Test("A table that another key has sealed, or that was changed, is refused, and nothing is written")
    func forged() throws {
        _ = try first.keys.authorize(name("laptop"), role: .viewer, address: nil, at: 4)
        let text = try sealed(first)
        let table = try #require(try first.keys.table())
        let stranger = KeyTableSeal(of: try CurveKeyPair.generate().secretKey)
        let forged = [
            "", "\n", table.text, "\n" + table.text, stranger.seal(table), text + "\n", String(text.dropLast()),
            String(text.dropFirst()),
            text.replacing(" viewer laptop ", with: " client laptop "), text.replacing("\nend ", with: "\n\nend "),
        ]
        let before = try identity(of: second.file("authorized"))
        for text in forged { #expect(try second.keys.adopt(sealedTable: text) == .refused, "\(text.prefix(60))") }
        #expect(try identity(of: second.file("authorized")) == before)
    }

    @Test(
        "Where the directory or the coordinator's key is away, nothing is made, and the table is taken over once it is back"
    )
    func away() throws {
        _ = try first.keys.authorize(name("laptop"), role: .viewer, address: nil, at: 4)
        let text = try sealed(first)
        for away in [second.file("server"), second.keys.path] {
            try #require(rename(away, away + ".away") == 0)
            let error = #expect(throws: KeyError.self) { try second.keys.adopt(sealedTable: text) }
            #expect(error?.code == .noKey && error?.path == second.keys.path)
            #expect(access(away, F_OK) != 0, "the place for it stays free")
            try #require(rename(away + ".away", away) == 0)
        }
        #expect(try second.keys.adopt(sealedTable: text) == .adopted)
    }

    @Test("A sealed table has no secret of its coordinator")
    func noSecrets() throws {
        let laptop = try first.keys.authorize(name("laptop"), role: .client, address: nil, at: 4)
        let token = try first.keys.authorizeToken(name("wall"), role: .viewer, at: 4)
        let text = try sealed(first)
        let server = try first.keys.open(at: 5).key.secretKey
        for secret in [server.z85, laptop.secretKey.z85, laptop.text, token.text] { #expect(!text.contains(secret)) }
        for own in try first.keys.tokens() { #expect(!text.contains(own.secretKey.z85)) }
    }
}
