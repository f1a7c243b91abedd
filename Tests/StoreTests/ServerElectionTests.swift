@_spi(Baton) import BatonOperations
import BatonTestServers
import Testing

@_spi(Baton) @testable import BatonStore

@Suite("The election of a leader on a server", .enabled(if: PostgreSQLServer.isThere))
struct ServerElectionTests {
    private static let incarnation = Incarnation(rawValue: 77)
    private static let now = Timestamp(rawValue: 1_800_000_000_000_000)

    private func election(
        _ server: RecordServer,
        _ name: String,
        lease: Duration = .seconds(10),
        key: String? = nil,
        web: String? = nil
    ) -> ServerElection {
        ServerElection(
            server,
            lease: lease,
            address: "tcp://\(name):7461",
            host: name,
            key: key,
            web: web,
            eventHistory: 1_000_000
        )
    }

    private func attempt(_ election: ServerElection) throws(StoreError) -> ElectionOutcome {
        try election.attempt(as: Self.incarnation, at: Self.now)
    }

    /// Tries to lead once nobody does, and has to succeed.
    private func win(
        _ election: ServerElection,
        _ schema: TemporarySchema
    ) throws -> (
        store: SQLStore, state: StoredState
    ) {
        try awaitFreeLock(of: schema)
        guard case .elected(let store, let state, _) = try attempt(election) else {
            throw SQLError(.led, "another one leads")
        }
        return (store, state)
    }

    /// Tries to lead, in vain.
    private func lose(_ election: ServerElection) throws -> LeaderNotice? {
        switch try attempt(election) {
        case .elected(let store, _, _):
            store.close()
            throw SQLError(.statement, "the election was won")
        case .led(let notice): return notice
        case .barred: throw SQLError(.statement, "the election was barred")
        }
    }

    /// Tries to lead, and is told of the last leader, which had another key.
    private func beBarred(_ election: ServerElection) throws -> LeaderNotice {
        switch try attempt(election) {
        case .elected(let store, _, _):
            store.close()
            throw SQLError(.statement, "the election was won")
        case .led: throw SQLError(.statement, "the election was lost")
        case .barred(let last): return last
        }
    }

    /// A connection of an administrator.
    private func connect(to schema: TemporarySchema) throws -> ServerConnection {
        try ServerConnection(schema.server, for: .reading)
    }

    /// Waits until nobody leads: the server hears of the end of a session after the call that ends it.
    private func awaitFreeLock(of schema: TemporarySchema) throws {
        let administrator = try connect(to: schema)
        defer { administrator.close() }
        let lock = "(1111577679, hashtext('\(schema.server.schema)'))"
        try administrator.execute("SELECT pg_advisory_lock\(lock)", "SELECT pg_advisory_unlock\(lock)")
    }

    @Test("The others know where the web interface of the leader is, and know of none after one that has none")
    func web() throws {
        let schema = try TemporarySchema()
        let pages: [String?] = ["http://10.0.0.1:7462/", nil, "https://c.example:7462/"]
        let elections = pages.enumerated().map { election(schema.server, "\($0)", web: $1) }
        for (place, page) in pages.enumerated() {
            let (store, _) = try win(elections[place], schema)
            #expect(try lose(elections[(place + 1) % pages.count])?.web == page)
            store.close()
        }
        for election in elections { election.close() }
    }

    @Test("The table of keys reaches the others with their next attempt, and the next leader, which keeps another one")
    func keyTable() throws {
        let schema = try TemporarySchema()
        let (first, second) = (election(schema.server, "a"), election(schema.server, "b"))
        let (store, _) = try win(first, schema)
        #expect(store.sealedKeys == nil)
        #expect(try lose(second) != nil && second.sealedKeys == nil)
        for text in ["one", String(repeating: "long\n", count: 30_000), "one", ""] {
            try store.keep(sealedKeys: text)
            #expect(store.sealedKeys == text)
            #expect(try lose(second) != nil && second.sealedKeys == text)
        }
        try store.keep(sealedKeys: "last")
        store.close()
        let (next, _) = try win(second, schema)
        #expect(second.sealedKeys == "last" && next.sealedKeys == "last")
        try next.keep(sealedKeys: "next")
        #expect(try lose(first) != nil && first.sealedKeys == "next")
        next.close()
    }

    @Test("The table of keys is read again after a lost connection, although its version is the same")
    func keyTableOfAnotherServer() throws {
        let schema = try TemporarySchema()
        let (first, second) = (election(schema.server, "a"), election(schema.server, "b"))
        let (store, _) = try win(first, schema)
        defer { store.close() }
        try store.keep(sealedKeys: "lost with its server")
        #expect(try lose(second) != nil && second.sealedKeys == "lost with its server")
        let administrator = try connect(to: schema)
        defer { administrator.close() }
        // A replica that was behind at its promotion may have an earlier table.
        try administrator.execute("UPDATE key_table SET sealed = 'of the replica'")
        second.close()
        #expect(try lose(second) != nil && second.sealedKeys == "of the replica")
        second.close()
        first.close()
    }

    @Test(
        "A record of an earlier build, without a table of keys, shows its leader to the others, and the next one completes it"
    )
    func earlierBuild() throws {
        let schema = try TemporarySchema()
        let page = "http://10.0.0.2:7462/"
        let (first, second) = (election(schema.server, "a"), election(schema.server, "b", web: page))
        let (store, _) = try win(first, schema)
        let administrator = try connect(to: schema)
        try administrator.execute("ALTER TABLE leader DROP COLUMN web", "DROP TABLE key_table")
        administrator.close()
        for _ in 1...2 {
            let notice = try #require(try lose(second))
            #expect(notice.address == "tcp://a:7461" && notice.epoch == 1 && notice.web == nil)
            #expect(second.sealedKeys == nil)
        }
        #expect(try second.leader()?.address == "tcp://a:7461")
        store.close()
        try awaitFreeLock(of: schema)
        let (next, state) = try win(second, schema)
        #expect(state.epoch == 2)
        try next.keep(sealedKeys: "table")
        #expect(try lose(first)?.web == page)
        #expect(first.sealedKeys == "table")
        next.close()
        for election in [first, second] { election.close() }
    }

    @Test("One of several leads, and the others take the lead in turn once it ends")
    func turns() throws {
        let schema = try TemporarySchema()
        let elections = ["a", "b", "c"].map { election(schema.server, $0, key: "key of all") }
        #expect(try elections[0].leader() == nil)
        var (store, state) = try win(elections[0], schema)
        #expect(state.epoch == 1)
        for turn in 1...5 {
            let (last, next, other) = ((turn + 2) % 3, turn % 3, (turn + 1) % 3)
            for place in [next, other] {
                _ = try lose(elections[place])
                let notice = try #require(try elections[place].leader())
                #expect(notice.epoch == state.epoch)
                let name = ["a", "b", "c"][last]
                #expect(notice.address == "tcp://\(name):7461")
                #expect(notice.host == name)
                #expect(notice.key == "key of all")
                #expect(notice.otherRole == nil)
                #expect(notice.replication != nil)
                #expect(notice.standbys.contains { $0.address == "tcp://\(["a", "b", "c"][place]):7461" })
                #expect(!notice.standbys.contains { $0.address == notice.address })
            }
            store.close()
            let epoch = state.epoch
            (store, state) = try win(elections[next], schema)
            #expect(state.epoch == epoch + 1)
            #expect(state.starts[state.epoch]?.incarnation == Self.incarnation)
            #expect(store.leader()?.standbys.map(\.host) == [["a", "b", "c"][other]])
            #expect(store.leader()?.standbys.map(\.key) == ["key of all"])
        }
        store.close()
        try awaitFreeLock(of: schema)
        #expect(try elections[0].leader() == nil)
    }

    @Test(
        "Where nobody leads, only one with the key of the last leader does, and the others leave the record and its lock alone",
        arguments: ["first", nil] as [String?]
    )
    func otherKeys(key: String?) throws {
        let schema = try TemporarySchema()
        let (first, _) = try win(election(schema.server, "a", key: key), schema)
        first.close()
        try awaitFreeLock(of: schema)
        let strangers = ["second", "first", nil].filter { $0 != key }.map { election(schema.server, "b", key: $0) }
        for _ in 1...2 {
            for stranger in strangers {
                let last = try beBarred(stranger)
                #expect(last.address == "tcp://a:7461" && last.key == key && last.epoch == 1)
                #expect(try stranger.leader() == nil)
            }
        }
        let (next, state) = try win(election(schema.server, "c", key: key), schema)
        #expect(state.epoch == 2)
        next.close()
        for stranger in strangers { stranger.close() }
    }

    @Test("A program that copies the record leads nobody, and whoever leads after it needs no key of an earlier leader")
    func copies() throws {
        let schema = try TemporarySchema()
        let copy = try SQLStore(
            server: schema.server,
            lease: .seconds(10),
            address: LeaderRow.addressOfCopies,
            host: "a",
            eventHistory: 1_000_000
        )
        try copy.transaction { _ throws(SQLError) in }
        let standby = election(schema.server, "b", key: "key")
        #expect(try lose(standby) == nil)
        #expect(try standby.leader() == nil)
        let error = #expect(throws: StoreError.self) {
            _ = try SQLStore(
                server: schema.server,
                lease: .seconds(1),
                address: "tcp://c:7461",
                host: "c",
                eventHistory: 1_000_000
            )
        }
        #expect(error?.code == .inUse)
        #expect(error?.message.hasSuffix("is held by the program \"baton store copy\" on a.") == true)
        copy.close()
        try awaitFreeLock(of: schema)
        let (next, _) = try win(standby, schema)
        next.close()
        standby.close()
    }

    @Test("Who has stood by for a record begins no other in its place once its tables are gone, and a new start does")
    func tablesGone() throws {
        let schema = try TemporarySchema()
        let (store, _) = try win(election(schema.server, "a"), schema)
        let standby = election(schema.server, "b")
        _ = try lose(standby)
        store.close()
        try awaitFreeLock(of: schema)
        let administrator = try connect(to: schema)
        defer { administrator.close() }
        try administrator.execute("DROP SCHEMA \(schema.server.schema) CASCADE")
        for _ in 1...3 {
            let error = #expect(throws: StoreError.self) { _ = try attempt(standby) }
            #expect(error?.code == .unreadable && error?.mayPass == false)
            #expect(
                error?.message.hasPrefix("The tables of the record in the schema \(schema.server.schema) were removed")
                    == true
            )
        }
        #expect(try administrator.number("SELECT to_regclass('\(schema.server.schema).leader') IS NULL") == 1)
        try awaitFreeLock(of: schema)
        let (next, state) = try win(election(schema.server, "c"), schema)
        #expect(state.epoch == 1)
        next.close()
        try awaitFreeLock(of: schema)
        // The tables are there again, as after a restoration.
        let (last, _) = try win(standby, schema)
        last.close()
    }

    @Test(
        "A record that lacks tables is named with them, and not taken for something else",
        arguments: ["jobs", "starts, jobs"]
    )
    func lacksTables(tables: String) throws {
        let schema = try TemporarySchema()
        let (store, _) = try win(election(schema.server, "a"), schema)
        store.close()
        try awaitFreeLock(of: schema)
        let administrator = try connect(to: schema)
        defer { administrator.close() }
        try administrator.execute("DROP TABLE \(tables) CASCADE")
        let standby = election(schema.server, "b")
        let error = #expect(throws: StoreError.self) { _ = try attempt(standby) }
        #expect(error?.code == .unreadable)
        let names = tables.split(separator: ", ").sorted().joined(separator: ", ")
        #expect(error?.message.contains("it lacks \(names).") == true, "\(String(describing: error))")
    }

    @Test("Whoever takes over from a leader whose session an administrator has ended goes on with its record")
    func ended() throws {
        let schema = try TemporarySchema()
        let leader = try ServerLeader(schema)
        try leader.session.transaction { () throws(SQLError) in try leader.add(3) }
        let second = election(schema.server, "b")
        let notice = try #require(try lose(second))
        #expect(notice.address == "tcp://first:1")
        try leader.endSessions()
        let (store, state) = try win(second, schema)
        defer { store.close() }
        #expect(state.epoch == notice.epoch + 1)
        let error = #expect(throws: SQLError.self) { try leader.proveAgain() }
        #expect(error?.code == .deposed)
        #expect(!leader.session.isLeading)
        #expect(try leader.committedSum() == 3)
        try store.prove()
        let after = try #require(store.leader())
        #expect((after.address, after.record) == ("tcp://b:7461", notice.record))
    }

    @Test("The proof of a leader that begins is from before the end of its election")
    func proof() throws {
        let schema = try TemporarySchema()
        let begin = LeaseClock.now
        guard case .elected(let store, _, let provenAt) = try attempt(election(schema.server, "a")) else {
            throw SQLError(.led, "another one leads")
        }
        defer { store.close() }
        #expect(begin <= provenAt && provenAt <= LeaseClock.now)
        #expect(store.proofInterval == .milliseconds(2500))
    }

    @Test("A leader that stands still in the middle of a message is taken over from once its lease is over")
    func stuck() throws {
        let schema = try TemporarySchema()
        let leader = try ServerLeader(schema, lease: .seconds(1))
        // The second coordinator has a longer lease, so that it still leads at the end.
        let second = election(schema.server, "b", lease: .seconds(3))
        var elected: SQLStore?
        let error = #expect(throws: SQLError.self) {
            try leader.session.transaction { () throws(SQLError) in
                try leader.session.writer.open().send("SELECT 1" + String(repeating: " ", count: 200_000))
                let end = ContinuousClock.now + .seconds(600)
                while elected == nil, ContinuousClock.now < end {
                    if case .elected(let store, _, _)? = try? attempt(second) { elected = store }
                }
                try leader.add(1)
            }
        }
        #expect(error?.code == .deposed)
        let store = try #require(elected)
        try store.prove()
        store.close()
    }

    @Test("A coordinator that gives no sign of life is not told of, and one that ends in order takes its row away")
    func rows() throws {
        let schema = try TemporarySchema()
        let (store, _) = try win(election(schema.server, "a"), schema)
        defer { store.close() }
        let standbys = ["b", "c"].map { election(schema.server, $0) }
        for standby in standbys { _ = try lose(standby) }
        #expect(store.leader()?.standbys.map(\.host) == ["b", "c"])
        #expect(store.leader()?.standbys.allSatisfy { $0.key == nil } == true)
        let administrator = try connect(to: schema)
        defer { administrator.close() }
        try administrator.execute("UPDATE standbys SET seen = seen - 15000000 WHERE host = 'b'")
        #expect(store.leader()?.standbys.map(\.host) == ["c"])
        standbys[1].close()
        #expect(store.leader()?.standbys.isEmpty == true)
        #expect(try administrator.number("SELECT count(*) FROM standbys") == 1)
        // The next sign of life is the first one of another time of standing by.
        let since = try administrator.number("SELECT since FROM standbys") ?? 0
        _ = try lose(election(schema.server, "b"))
        #expect(store.leader()?.standbys.map(\.host) == ["b"])
        #expect(try administrator.number("SELECT since FROM standbys") ?? 0 > since)
    }

    @Test("No transaction is open between two attempts")
    func holdsNothing() throws {
        let schema = try TemporarySchema()
        let (store, _) = try win(election(schema.server, "a"), schema)
        defer { store.close() }
        let second = election(schema.server, "b")
        let administrator = try connect(to: schema)
        defer { administrator.close() }
        for _ in 0..<3 {
            _ = try lose(second)
            // A coordinator that stands by does not lock the tables.
            try administrator.execute("BEGIN", "LOCK TABLE standbys IN ACCESS EXCLUSIVE MODE NOWAIT", "COMMIT")
        }
    }

    @Test("After the server could not be reached, the next attempts go on")
    func unreachable() throws {
        let schema = try TemporarySchema()
        let relay = try CommitRelay(target: try #require(schema.server.ports.first))
        defer { relay.shutDown() }
        let (store, state) = try win(election(schema.server, "a"), schema)
        let server = try #require(PostgreSQLServer.record(schema.server, throughPort: relay.port))
        let second = election(server, "b")
        relay.isRefusing = true
        for _ in 0..<2 {
            let error = #expect(throws: StoreError.self) { _ = try attempt(second) }
            #expect(error?.code == .unreachable)
            #expect(error?.mayPass == true)
        }
        relay.isRefusing = false
        #expect(try lose(second)?.epoch == state.epoch)
        store.close()
        try awaitFreeLock(of: schema)
        let (next, newState) = try win(second, schema)
        defer { next.close() }
        #expect(newState.epoch == state.epoch + 1)
    }
}
