import BatonTestServers
import Testing

@_spi(Baton) @testable import BatonStore

@Suite("The fence around a leader's transactions", .enabled(if: PostgreSQLServer.isThere))
struct FenceTests {
    /// When another session begins an epoch.
    enum Moment: CaseIterable {
        case beforeBegin, beforeSending
    }

    @Test(
        "Nothing of a leader is kept once another epoch has begun, whatever the lock says",
        arguments: Moment.allCases
    )
    func keepsOut(_ moment: Moment) throws {
        let leader = try ServerLeader()
        try leader.session.transaction { () throws(SQLError) in try leader.add(1) }
        let other = try leader.other()
        defer { other.close() }
        let raise = "UPDATE leader SET epoch = epoch + 1, address = 'tcp://second:2'"
        if moment == .beforeBegin { try other.execute(raise) }
        let error = try #require(throws: SQLError.self) {
            try leader.session.transaction { () throws(SQLError) in
                // What was sent is not on its way yet: it is too little.
                if moment == .beforeSending { try other.execute(raise) }
                try leader.add(1)
            }
        }
        #expect(error.code == .deposed)
        #expect(!leader.session.isLeading)
        #expect(try leader.committedSum() == 1)
        let later = try #require(throws: SQLError.self) {
            try leader.session.transaction { () throws(SQLError) in try leader.add(1) }
        }
        #expect(later.code == .deposed)
        #expect(throws: SQLError.self) { try leader.session.prove() }
        #expect(try leader.committedSum() == 1)
        #expect(StoreError(error, server: leader.schema.server).code == .deposed)
    }

    @Test("A transaction that goes on keeps the next epoch from beginning before its end")
    func holdsBack() throws {
        let leader = try ServerLeader()
        let other = try leader.other()
        defer { other.close() }
        try leader.session.transaction { () throws(SQLError) in
            try leader.add(1)
            // The answer to a question shows that the fence is there.
            _ = try leader.sum()
            let error = #expect(throws: SQLError.self) {
                try other.execute("SET lock_timeout = 50", "UPDATE leader SET epoch = epoch + 1")
            }
            #expect(error?.code == .busy)
        }
        #expect(try leader.committedSum() == 1)
    }

    @Test("Each start begins an epoch, of a thousand steps on another timeline or other data")
    func beginsEpochs() throws {
        let schema = try TemporarySchema()
        var steps: [Int64] = []
        let changes = ["", "UPDATE leader SET timeline = timeline + 1", "", "UPDATE leader SET system = 'other'", ""]
        for change in changes {
            let leader = try ServerLeader(schema)
            steps.append(leader.session.epochStep)
            let other = try leader.other()
            defer { other.close() }
            #expect(try other.number("SELECT epoch FROM leader") == steps.reduce(0, +))
            let told = try other.number("SELECT value FROM meta WHERE key = 'epoch'")
            #expect(told == steps.dropLast().reduce(0, +))
            let newest = try other.number("SELECT value FROM meta WHERE key = 'newest_removed_job'")
            #expect(newest == steps.filter { $0 > 1 }.reduce(0, +))
            if !change.isEmpty { try other.execute(change) }
        }
        #expect(steps == [1, 1, 1000, 1, 1000])
    }
}
