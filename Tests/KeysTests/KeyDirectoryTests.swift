@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonZeroMQ
import Glibc
import Synchronization
import Testing
@_spi(Baton) @testable import BatonKeys

/// What several threads have found.
private final class Notes: Sendable {
    private struct State {
        var results: [String] = []
        var failures: [String] = []
        var isDone = false
    }

    private let state = Mutex(State())

    var results: [String] { state.withLock { $0.results } }
    var failures: [String] { state.withLock { $0.failures } }
    var isDone: Bool { state.withLock { $0.isDone } }

    func note(_ body: () throws -> String) {
        do {
            let result = try body()
            state.withLock { $0.results.append(result) }
        } catch {
            state.withLock { $0.failures.append("\(error)") }
        }
    }

    func finish() { state.withLock { $0.isDone = true } }
}

@Suite("The key directory", .timeLimit(.minutes(60)))
struct KeyDirectoryTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    /// The names of the unrevoked keys, by number.
    private func activeNames(_ table: KeyTable?) -> [String] {
        (table?.keys ?? []).filter { !$0.isRevoked }.map(\.name.text)
    }

    @Test("A first start makes a server key, and a key each for client, worker and operation, closed to others")
    func firstStart() throws {
        let keys = try scratch.keys.open(at: 100)
        let fingerprint = "\(ServerFingerprint(keys.key.publicKey))"
        #expect(fingerprint.utf8.count == 16)
        let expected: Set<String> = [
            "lock", "server", "operations", "authorized", "\(fingerprint).client", "\(fingerprint).worker",
            "\(fingerprint).operation",
        ]
        #expect(names(in: scratch.keys.path) == expected)
        #expect(try mode(of: scratch.keys.path) == 0o700)
        for name in expected { #expect(try mode(of: scratch.file(name)) == 0o600, "\(name)") }
        #expect(activeNames(keys.table) == ["local-client", "local-worker", "local-operation"])
        for role in [Role.client, .worker, .operation] {
            let token = try #require(try scratch.keys.token(server: keys.key.publicKey, role: role))
            let key = try #require(keys.table[try token.publicKey()])
            #expect((key.role, key.name, key.madeAt) == (role, token.name, 100))
            #expect(token.server == keys.key.publicKey)
        }
        #expect(try scratch.keys.token(server: keys.key.publicKey, role: .viewer) == nil)
    }

    @Test("A later start finds the same keys and writes nothing")
    func laterStart() throws {
        let first = try scratch.keys.open(at: 100)
        let files = names(in: scratch.keys.path).sorted()
        let before = try files.map { try identity(of: scratch.file($0)) }
        let second = try scratch.keys.open(at: 200)
        #expect(second.key == first.key)
        #expect(second.table == first.table)
        let claim = OperationClaim(incarnation: 1, recordToken: 2, job: 3, operation: 4, attempt: 5, worker: 6)
        let token = first.operationKeys.issuer(for: 6).token(for: claim)
        #expect(second.operationKeys.issuer(for: 6).token(for: claim) == token)
        #expect(second.operationKeys.isGenuine(token.proof))
        #expect(token.server == first.key.publicKey)
        let transport = try token.keyPair().publicKey
        #expect(second.table[transport]?.role == .operation)
        #expect(names(in: scratch.keys.path).sorted() == files)
        #expect(try files.map { try identity(of: scratch.file($0)) } == before)
    }

    @Test("A home without keys has no table, server key, tokens or address")
    func empty() throws {
        #expect(try scratch.keys.table() == nil)
        #expect(try scratch.keys.serverKey() == nil)
        #expect(try scratch.keys.tokens() == [])
        #expect(try scratch.keys.address() == nil)
        #expect(names(in: scratch.path) == [])
        let error = #expect(throws: KeyError.self) { try scratch.keys.revoke(try keyName("a"), at: 1) }
        #expect(error?.code == .unknownKey)
    }

    @Test("Several threads that create at once end with the same keys")
    func concurrentCreation() throws {
        let directory = scratch.keys
        let notes = Notes()
        let threads = try (0..<8).map { _ in
            try SystemThread(named: "test") {
                notes.note {
                    let keys = try directory.open(at: 1)
                    return "\(keys.key.publicKey) \(keys.table.text)"
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(notes.failures == [])
        #expect(notes.results.count == 8)
        #expect(Set(notes.results).count == 1)
    }

    @Test("Threads that authorize at once lose no key, and a reader never sees half a table")
    func concurrentChanges() throws {
        let directory = scratch.keys
        _ = try directory.open(at: 1)
        let notes = Notes()
        let reader = try SystemThread(named: "test") {
            while !notes.isDone, notes.failures.isEmpty {
                notes.note { try directory.table() == nil ? "none" : "table" }
            }
        }
        let writers = try (0..<4).map { writer in
            try SystemThread(named: "test") {
                for number in 0..<10 {
                    notes.note {
                        let name = try keyName("k\(writer)-\(number)")
                        _ = try directory.authorize(name, role: .client, address: nil, at: 2)
                        return "table"
                    }
                }
            }
        }
        for writer in writers { writer.join() }
        notes.finish()
        reader.join()
        #expect(notes.failures == [])
        #expect(Set(notes.results) == ["table"])
        #expect(try directory.table()?.keys.count == 43)
        #expect(names(in: directory.path).allSatisfy { !$0.hasSuffix(".new") })
    }

    @Test("A creation that was cut off goes on where it ended", arguments: 0..<5)
    func cutOff(missing: Int) throws {
        let first = try scratch.keys.open(at: 1)
        let fingerprint = "\(ServerFingerprint(first.key.publicKey))"
        // The order of their creation.
        let order = [
            "operations", "\(fingerprint).client", "\(fingerprint).worker", "\(fingerprint).operation", "authorized",
        ]
        for name in order[missing...] { unlink(scratch.file(name)) }
        let second = try scratch.keys.open(at: 2)
        #expect(second.key == first.key)
        #expect(activeNames(second.table) == ["local-client", "local-worker", "local-operation"])
        for role in [Role.client, .worker, .operation] {
            let token = try #require(try scratch.keys.token(server: first.key.publicKey, role: role))
            #expect(second.table[try token.publicKey()]?.role == role)
        }
    }

    @Test("A file that a crash left half written does not matter")
    func leftover() throws {
        _ = try scratch.keys.open(at: 1)
        try overwrite(scratch.file(".authorized.new"), Array("baton-ke".utf8))
        let token = try scratch.keys.authorize(try keyName("laptop"), role: .client, address: nil, at: 2)
        #expect(try scratch.keys.table()?[token.name] != nil)
        #expect(!names(in: scratch.keys.path).contains(".authorized.new"))
    }

    @Test("Keys are authorized before the coordinator ever ran, and found by their token")
    func authorizedFirst() throws {
        let address = try serverAddress("tcp://host:7461")
        let token = try scratch.keys.authorize(try keyName("w1"), role: .worker, address: address, at: 5)
        #expect((token.role, token.address) == (.worker, address))
        let keys = try scratch.keys.open(at: 6)
        #expect(keys.key.publicKey == token.server)
        let key = try #require(keys.table[try token.publicKey()])
        #expect((key.name.text, key.role, key.madeAt, key.isRevoked) == ("w1", .worker, 5, false))
        let again = #expect(throws: KeyError.self) {
            try scratch.keys.authorize(try keyName("w1"), role: .client, address: nil, at: 7)
        }
        #expect(again?.code == .nameInUse)
    }

    @Test("A revoked key stays revoked, also the home's own")
    func revoked() throws {
        _ = try scratch.keys.open(at: 1)
        let name = try keyName("local-worker")
        #expect(try scratch.keys.revoke(name, at: 9).revokedAt == 9)
        let keys = try scratch.keys.open(at: 10)
        #expect(activeNames(keys.table) == ["local-client", "local-operation"])
        #expect(keys.table.keys.count == 3)
        let error = #expect(throws: KeyError.self) { try scratch.keys.revoke(name, at: 11) }
        #expect(error?.code == .unknownKey)
        // Whoever removes the home's own revoked key gets a new one.
        unlink(scratch.file(KeyFolder.name(server: keys.key.publicKey, role: .worker)))
        let renewed = try scratch.keys.open(at: 12)
        #expect(activeNames(renewed.table) == ["local-client", "local-operation", "local-worker"])
        #expect(renewed.table.keys.last?.number == KeyNumber(rawValue: 4))
    }

    @Test("A removed table begins anew with the home's own keys alone")
    func removedTable() throws {
        _ = try scratch.keys.authorize(try keyName("laptop"), role: .client, address: nil, at: 1)
        unlink(scratch.file("authorized"))
        #expect(activeNames(try scratch.keys.open(at: 2).table) == ["local-client", "local-worker", "local-operation"])
    }

    @Test("A file that is missing beside those that are made after it was lost; first and later starts miss none")
    func lostFiles() throws {
        #expect(try scratch.keys.lostFiles() == [])
        let first = try scratch.keys.open(at: 1)
        #expect(first.lostFiles == [] && first.isFirstStart)
        for lost in LostKeyFile.allCases {
            unlink(scratch.file(lost.rawValue))
            #expect(try scratch.keys.lostFiles() == [lost])
            let keys = try scratch.keys.open(at: 2)
            #expect(keys.lostFiles == [lost] && !keys.isFirstStart)
            #expect(try scratch.keys.lostFiles() == [])
        }
        let later = try scratch.keys.open(at: 3)
        #expect(later.lostFiles == [] && !later.isFirstStart)
        // A key at another server says nothing of this home's own.
        let other = try Scratch()
        try other.keys.join(try makeToken(.client, "laptop", at: "tcp://a:1"))
        #expect(try other.keys.lostFiles() == [])
        #expect(try other.keys.open(at: 1).isFirstStart)
    }

    @Test("A joined key replaces that of the same server, and that of the same address")
    func joined() throws {
        let first = try makeToken(.client, "laptop", at: "tcp://a:1")
        let worker = try makeToken(.worker, "laptop", at: "tcp://a:1")
        let second = try makeToken(.client, "laptop", at: "tcp://b:1")
        for token in [first, worker, second] { try scratch.keys.join(token) }
        #expect(Set(try scratch.keys.tokens().map(\.text)) == Set([first, worker, second].map(\.text)))
        let moved = JoinToken(
            server: second.server,
            secretKey: first.secretKey,
            role: .client,
            name: second.name,
            address: second.address
        )
        try scratch.keys.join(moved)
        #expect(try scratch.keys.token(server: second.server, role: .client) == moved)
        let rekeyed = try makeToken(.client, "laptop", at: "tcp://a:1")
        try scratch.keys.join(rekeyed)
        #expect(try scratch.keys.token(server: first.server, role: .client) == nil)
        #expect(try scratch.keys.tokens().count == 3)
    }

    @Test("The address is kept")
    func address() throws {
        try scratch.keys.note(try serverAddress("tcp://127.0.0.1:7461"))
        #expect(try scratch.keys.address()?.text == "tcp://127.0.0.1:7461")
        try scratch.keys.note(try serverAddress("tcp://[::1]:1"))
        #expect(try scratch.keys.address()?.text == "tcp://[::1]:1")
    }

    @Test("A lock that another holder keeps is told with the directory")
    func locked() throws {
        _ = try scratch.keys.open(at: 1)
        let folder = try KeyFolder.made(at: scratch.keys.path)
        let lock = try KeyLock(of: folder)
        let error = KeyDirectoryTests.lockError(of: folder)
        #expect(error?.code == .inUse)
        #expect(error?.path == scratch.keys.path)
        _ = consume lock
        _ = try KeyLock(of: folder, patience: .zero)
    }

    private static func lockError(of folder: borrowing KeyFolder) -> KeyError? {
        do throws(KeyError) {
            _ = try KeyLock(of: folder, patience: .milliseconds(1))
            return nil
        } catch {
            return error
        }
    }
}
