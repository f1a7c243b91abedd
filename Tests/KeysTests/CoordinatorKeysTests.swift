@_spi(Baton) import BatonZeroMQ
import Testing
@_spi(Baton) @testable import BatonKeys

@Suite("The keys of a coordinator for one that stands in for it", .timeLimit(.minutes(60)))
struct CoordinatorKeysTests {
    let first: Scratch
    let second: Scratch
    let receiver: KeyName

    init() throws {
        first = try Scratch()
        second = try Scratch()
        receiver = try #require(KeyName("b"))
    }

    /// The keys of the first home, as its coordinator would hand them over.
    private func keys() throws -> CoordinatorKeys {
        _ = try first.keys.authorize(receiver, role: .coordinator, address: nil, at: 5)
        return try first.keys.coordinatorKeys(for: receiver, at: 6)
    }

    @Test(
        "Both homes have the same secrets and the same table afterwards, with the key of the receiver revoked",
        arguments: [0, 1, 40]
    )
    func shared(others: Int) throws {
        _ = try first.keys.open(at: 1)
        for number in 0..<others {
            let name = try #require(KeyName("k\(number)"))
            if number.isMultiple(of: 3) {
                _ = try first.keys.authorizeToken(name, role: .viewer, at: 2)
            } else {
                _ = try first.keys.authorize(name, role: .worker, address: nil, at: 2)
            }
            if number.isMultiple(of: 4) { try first.keys.revoke(name, at: 3) }
        }
        let sent = try CoordinatorKeys(decoding: keys().encoded())
        try second.keys.makeRoom(forCoordinator: sent.server)
        try second.keys.take(sent)
        #expect(try first.keys.table()?[receiver] != nil, "whoever hands the keys over revokes the key")
        try first.keys.revoke(receiver, at: 6)

        let one = try first.keys.open(at: 10)
        let other = try second.keys.open(at: 11)
        #expect(!other.isFirstStart && other.lostFiles.isEmpty)
        #expect(one.key.publicKey == other.key.publicKey)
        #expect(one.table == other.table)
        #expect(try first.keys.tokens() == second.keys.tokens())
        for name in ["server", "operations", "authorized"] {
            #expect(try content(of: first.file(name)) == content(of: second.file(name)), "\(name)")
            #expect(try mode(of: second.file(name)) == 0o600, "\(name)")
        }
    }

    @Test("A key that was revoked gets nothing, and neither does one that nobody has")
    func revoked() throws {
        _ = try keys()
        try first.keys.revoke(receiver, at: 7)
        #expect(throws: KeyError.self) { try first.keys.coordinatorKeys(for: receiver, at: 8) }
        let nobody = try #require(KeyName("nobody"))
        #expect(throws: KeyError.self) { try first.keys.coordinatorKeys(for: nobody, at: 8) }
        #expect(throws: KeyError.self) { try second.keys.coordinatorKeys(for: receiver, at: 8) }
    }

    @Test("A home with the keys of another coordinator keeps them, and one with the same takes the later table")
    func otherCoordinator() throws {
        let keys = try keys()
        let other = try second.keys.open(at: 1)
        let before = try ["server", "operations", "authorized"].map { try content(of: second.file($0)) }
        for isAsked in [true, false] {
            do throws(KeyError) {
                if isAsked { try second.keys.makeRoom(forCoordinator: keys.server) } else { try second.keys.take(keys) }
                Issue.record("the keys of another coordinator were replaced")
            } catch {
                #expect(error.code == .otherCoordinator)
            }
        }
        #expect(try ["server", "operations", "authorized"].map { try content(of: second.file($0)) } == before)
        #expect(try second.keys.serverKey() == other.key.publicKey)

        let third = try Scratch()
        try third.keys.take(keys)
        let added = try #require(KeyName("added"))
        _ = try first.keys.authorize(added, role: .worker, address: nil, at: 9)
        try third.keys.take(first.keys.coordinatorKeys(for: receiver, at: 10))
        #expect(try third.keys.table()?[added] != nil)
    }

    @Test("A home that joins again keeps the revocations that the other one does not know of, and loses its other keys")
    func joinedAgain() throws {
        let laptop = try #require(KeyName("laptop"))
        let (here, there) = (try #require(KeyName("here")), try #require(KeyName("there")))
        _ = try first.keys.authorize(laptop, role: .client, address: nil, at: 1)
        let keys = try keys()
        try second.keys.take(keys)
        try second.keys.revoke(laptop, at: 7)
        _ = try second.keys.authorize(there, role: .client, address: nil, at: 8)
        _ = try first.keys.authorize(here, role: .client, address: nil, at: 8)
        try second.keys.take(first.keys.coordinatorKeys(for: receiver, at: 9))
        let table = try #require(try second.keys.table())
        #expect(table.keys.first { $0.name == laptop }?.isRevoked == true)
        #expect(table[here] != nil && table[there] == nil)
    }

    @Test(
        "A key that the home has at the coordinator stays if it is admitted, and is replaced if it is not",
        arguments: [false, true]
    )
    func ownKey(isRevoked: Bool) throws {
        let laptop = try #require(KeyName("laptop"))
        let token = try first.keys.authorize(laptop, role: .client, address: nil, at: 1)
        try second.keys.join(token)
        if isRevoked { try first.keys.revoke(laptop, at: 2) }
        let keys = try keys()
        try second.keys.take(keys)
        let own = try second.keys.token(server: keys.server, role: .client)
        #expect(own?.name.text == (isRevoked ? "local-client" : "laptop"))
    }

    @Test("An answer that is damaged anywhere is refused, or is the same; no sentence and no description has a secret")
    func damaged() throws {
        let keys = try keys()
        let bytes = keys.encoded()
        let secrets = [keys.key.secretKey.z85, Base64URL.encoded(keys.secret.bytes)] + keys.tokens.map(\.text)
        for length in stride(from: 0, to: bytes.count, by: 7) {
            do throws(KeyError) {
                _ = try CoordinatorKeys(decoding: Array(bytes.prefix(length)))
                Issue.record("\(length) of \(bytes.count) bytes were taken for the whole")
            } catch {
                for secret in secrets { #expect(!error.message.contains(secret)) }
            }
        }
        for text in ["", "baton-coordinator-keys 2\n", "baton-keys 1\nend 1 0\n", "{\"keys\": []}"] {
            #expect(throws: KeyError.self) { try CoordinatorKeys(decoding: Array(text.utf8)) }
        }
        #expect(throws: KeyError.self) { try CoordinatorKeys(decoding: [0xFF] + bytes) }
        var dumped = ""
        dump(keys, to: &dumped)
        for secret in secrets {
            #expect(!"\(keys) \(String(reflecting: keys)) \(dumped)".contains(secret))
        }
    }

    @Test("A key for another coordinator in the answer is refused")
    func foreignToken() throws {
        let keys = try keys()
        let stranger = try CurveKeyPair.generate()
        let mixed = CoordinatorKeys(key: stranger, secret: keys.secret, tokens: keys.tokens, table: keys.table)
        #expect(throws: KeyError.self) { try CoordinatorKeys(decoding: mixed.encoded()) }
    }
}
