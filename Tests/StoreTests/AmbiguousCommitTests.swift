import BatonTestServers
import Testing

@_spi(Baton) @testable import BatonStore

@Suite("Commits whose answer is missing", .enabled(if: PostgreSQLServer.isThere))
struct AmbiguousCommitTests {
    @Test("A commit takes place once or not at all, and the leader knows which, wherever the connection is cut")
    func settles() throws {
        let leader = try ServerLeader(throughRelay: true)
        let relay = try #require(leader.relay)
        var expected: Int64 = 0
        for cut in [CommitRelay.Cut.beforeTheEnd, .beforeTheAnswer, .afterTheAnswer, .beforeTheAnswer, .beforeTheEnd] {
            relay.cut(cut)
            do throws(SQLError) {
                try leader.session.transaction { () throws(SQLError) in try leader.add(1) }
                expected += 1
            } catch {
                // Whoever gets this error tries again.
                #expect(error.code == .unreachable)
                #expect(cut == .beforeTheEnd)
            }
            #expect(try leader.committedSum() == expected)
            #expect(leader.session.isLeading)
            // A connection that was cut after the answer is found to be lost here.
            try leader.proveAgain()
        }
        #expect(relay.cuts == 5)
        #expect(expected == 3)
    }

    @Test("A large batch is written once, too")
    func settlesBatches() throws {
        let leader = try ServerLeader(throughRelay: true)
        let statement = leader.statements.jobs.insertTag
        leader.relay?.cut(.beforeTheAnswer)
        try leader.session.transaction { () throws(SQLError) in
            statement.bind(TagColumn.job, 1)
            for number in 0..<5000 {
                statement.bind(TagColumn.tag, text: "t\(number)")
                statement.bind(TagColumn.value, text: "v")
                try statement.run()
            }
        }
        let other = try leader.other()
        defer { other.close() }
        #expect(try other.number("SELECT count(*) FROM job_tags") == 5000)
    }

    @Test("While the server is away somebody is told, and a wait for it can be ended; nothing is written afterwards")
    func isInterrupted() throws {
        let leader = try ServerLeader(throughRelay: true)
        let relay = try #require(leader.relay)
        let interrupt = leader.session.makeInterrupt()
        let troubles = Calls<SQLError>()
        leader.session.onTrouble = { error in
            troubles.append(error)
            interrupt()
        }
        relay.isRefusing = true
        relay.cut(.beforeTheAnswer)
        let error = try #require(throws: SQLError.self) {
            try leader.session.transaction { () throws(SQLError) in try leader.add(1) }
        }
        #expect(error.code == .unreachable)
        #expect(troubles.all.map(\.code) == [.unreachable])
        relay.isRefusing = false
        // The change took place, and must not be made again.
        #expect(throws: SQLError.self) { try leader.session.transaction { () throws(SQLError) in try leader.add(1) } }
        #expect(try leader.committedSum() == 1)
    }

    @Test("A proof without an answer is no proof, and the next one counts again")
    func provesAgain() throws {
        let leader = try ServerLeader(throughRelay: true)
        let relay = try #require(leader.relay)
        for cut in [CommitRelay.Cut.beforeTheAnswer, .beforeTheEnd, .beforeTheAnswer] {
            let proofs = Calls<Int>()
            leader.session.onProof = { _ in proofs.append(1) }
            relay.cut(cut)
            #expect(throws: SQLError.self) { try leader.session.prove() }
            #expect(proofs.all.isEmpty)
            try leader.proveAgain()
            #expect(proofs.all.count == 1)
        }
        try leader.session.transaction { () throws(SQLError) in try leader.add(1) }
        #expect(try leader.committedSum() == 1)
    }
}
