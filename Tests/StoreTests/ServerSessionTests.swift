@_spi(Baton) import BatonOperations
import BatonTestServers
import Testing

@_spi(Baton) @testable import BatonStore

@Suite("A store's connections to a server", .enabled(if: PostgreSQLServer.isThere))
struct ServerSessionTests {
    @Test("A row returns texts, bytes and numbers as they were bound, apart from U+0000")
    func roundTrips() throws {
        let leader = try ServerLeader()
        let texts = ["", "a", "it's :not", "🎈", "with\0NUL", String(repeating: "long ", count: 10_000)]
        let blobs: [[UInt8]?] = [[], [0], [255, 0, 1], nil, Array(repeating: 7, count: 100_000), [92, 120]]
        let numbers: [Int64?] = [0, .min, .max, nil, -1, 1 << 40]
        let write = leader.statements.outputs.writeOutput
        let name = leader.statements.cluster.writeQueue
        try leader.session.transaction { () throws(SQLError) in
            for place in texts.indices {
                typealias Column = OutputColumn
                let length: Int64 = numbers[place] ?? 5
                write.bind(Column.job, 1)
                write.bind(Column.operation, place)
                write.bind(Column.attempt, 1)
                write.bind(Column.stdoutLength, length)
                write.bind(Column.stdout, bytes: Array(texts[place].utf8))
                write.bind(Column.stderrLength, 0)
                write.bind(Column.stderr, bytes: [])
                write.bind(Column.result, bytes: blobs[place])
                try write.run()
                name.bind(QueueColumn.name, text: "\(place)")
                name.bind(QueueColumn.maxConcurrent, numbers[place])
                name.bind(QueueColumn.qualityOfService, text: texts[place])
                name.bind(QueueColumn.isSuspended, 1)
                name.bind(QueueColumn.total, nil)
                name.bind(QueueColumn.completed, 3)
                name.bind(QueueColumn.rate, text: nil)
                try name.run()
            }
        }
        var found = 0
        try leader.statements.cluster.queues.forEach { row throws(SQLError) in
            let place = Int(try row.text(QueueColumn.name)) ?? 0
            #expect(try row.optional(QueueColumn.maxConcurrent, as: Int64.self) == numbers[place])
            let text = texts[place].split(separator: "\0", omittingEmptySubsequences: false).joined(
                separator: "\u{FFFD}"
            )
            #expect(try row.text(QueueColumn.qualityOfService) == text)
            #expect(try row.flag(QueueColumn.isSuspended))
            #expect(row.isNull(QueueColumn.total))
            #expect(throws: SQLError.self) { try row.number(QueueColumn.name, as: Int64.self) }
            #expect(throws: SQLError.self) { try row.text(QueueColumn.completed) }
            found += 1
            return true
        }
        #expect(found == texts.count)
        for place in texts.indices {
            leader.statements.outputs.output.bind(OperationID(1, UInt32(place)))
            leader.statements.outputs.output.bind(.attempt, 1)
            let length: Int64 = numbers[place] ?? 5
            let isThere = try leader.statements.outputs.output.first { row throws(SQLError) in
                #expect(row.optionalBytes(OutputColumn.stdout) == Array(texts[place].utf8))
                #expect(row.optionalBytes(OutputColumn.result) == blobs[place])
                #expect(try row.number(OutputColumn.stdoutLength, as: Int64.self) == length)
                return true
            }
            #expect(isThere == true)
        }
    }

    /// Writes so many additions of jobs from 0 on.
    private func insertTags(_ count: Int, _ leader: ServerLeader) throws(SQLError) {
        let statement = leader.statements.jobs.insertTag
        statement.bind(TagColumn.job, 1)
        for number in 0..<count {
            statement.bind(TagColumn.tag, text: "t\(number)")
            statement.bind(TagColumn.value, text: "")
            try statement.run()
        }
    }

    @Test(
        "An iteration gives all rows, whatever their number, with others inside",
        arguments: [0, 1, 1999, 2000, 2001, 4500]
    )
    func iterates(_ count: Int) throws {
        let leader = try ServerLeader()
        try leader.session.transaction { () throws(SQLError) in try self.insertTags(count, leader) }
        let statement = Statement("SELECT tag FROM job_tags WHERE job = :job ORDER BY length(tag), tag")
        try statement.attach(to: leader.session)
        let inner = Statement("SELECT tag FROM job_tags WHERE job = :job LIMIT :limit")
        try inner.attach(to: leader.session)
        statement.bind(.job, 1)
        inner.bind((.job, 1), (.limit, 2))
        var seen = 0
        for isInTransaction in [false, true] {
            seen = 0
            let read = { () throws(SQLError) in
                try statement.forEach { row throws(SQLError) in
                    #expect(try row.text(0) == "t\(seen)")
                    seen += 1
                    guard seen % 997 == 1 else { return true }
                    var others = 0
                    try inner.forEach { _ in
                        others += 1
                        return true
                    }
                    #expect(others == min(2, count))
                    #expect(try leader.sum() == 0)
                    return true
                }
            }
            if isInTransaction { try leader.session.transaction(read) } else { try read() }
            #expect(seen == count)
        }
        seen = 0
        try statement.forEach { _ in
            seen += 1
            return seen < 3
        }
        #expect(seen == min(3, count))
    }

    @Test("A negative limit means all rows")
    func readsAll() throws {
        let leader = try ServerLeader()
        try leader.session.transaction { () throws(SQLError) in try self.insertTags(5, leader) }
        let statement = Statement("SELECT count(*) FROM (SELECT tag FROM job_tags LIMIT :limit) AS t")
        try statement.attach(to: leader.session)
        for (limit, expected) in [(Int64(-1), 5), (0, 0), (3, 3), (9, 5)] {
            statement.bind(.limit, limit)
            #expect(try statement.first { row throws(SQLError) in try row.number(0, as: Int.self) } == expected)
        }
    }

    @Test("A transaction sees its own rows, and tells how many it has changed, and an error leaves none")
    func isAtomic() throws {
        let leader = try ServerLeader()
        let count = Statement("SELECT count(*) FROM job_tags")
        try count.attach(to: leader.session)
        let delete = Statement("DELETE FROM job_tags WHERE job = :job")
        try delete.attach(to: leader.session)
        #expect(throws: SQLError.self) {
            try leader.session.transaction { () throws(SQLError) in
                try self.insertTags(3, leader)
                try leader.add(1)
                throw SQLError(.statement, "the test ends it")
            }
        }
        #expect(try leader.committedSum() == 0)
        // A key twice is an error of the server, and the rest of the transaction is given up.
        #expect(throws: SQLError.self) {
            try leader.session.transaction { () throws(SQLError) in
                try self.insertTags(3, leader)
                try self.insertTags(1, leader)
                try leader.add(1)
            }
        }
        #expect(try leader.committedSum() == 0)
        // An error that the body ignores.
        #expect(throws: SQLError.self) {
            try leader.session.transaction { () throws(SQLError) in
                try self.insertTags(1, leader)
                try? leader.session.current.execute("SELECT 1 / 0")
                try leader.add(1)
            }
        }
        #expect(try leader.committedSum() == 0)
        try leader.session.transaction { () throws(SQLError) in
            try self.insertTags(7, leader)
            #expect(try count.first { row throws(SQLError) in try row.number(0, as: Int.self) } == 7)
            delete.bind(.job, 1)
            try delete.run()
            #expect(try delete.changedRows == 7)
            delete.bind(.job, 2)
            try delete.run()
            #expect(try delete.changedRows == 0)
            try self.insertTags(2, leader)
            try leader.add(1)
        }
        #expect(try count.first { row throws(SQLError) in try row.number(0, as: Int.self) } == 2)
        #expect(try leader.committedSum() == 1)
    }

    @Test("A transaction without questions is one round trip", arguments: [1, 1000, 5000])
    func isOneRoundTrip(_ rows: Int) throws {
        let leader = try ServerLeader()
        // The first use of a statement costs no round trip either.
        let before = leader.session.roundTrips
        try leader.session.transaction { () throws(SQLError) in
            try self.insertTags(rows, leader)
            try leader.add(1)
        }
        #expect(leader.session.roundTrips == before + 1)
    }

    @Test("A question is one round trip, and so is an iteration over a block of rows", arguments: [0, 1, 1999])
    func asksInOneRoundTrip(_ rows: Int) throws {
        let leader = try ServerLeader()
        try leader.session.transaction { () throws(SQLError) in try self.insertTags(rows, leader) }
        let statement = Statement("SELECT tag FROM job_tags ORDER BY tag")
        try statement.attach(to: leader.session)
        for _ in 0..<3 {
            var before = leader.session.roundTrips
            var seen = 0
            try statement.forEach { _ in
                seen += 1
                return true
            }
            #expect(seen == rows)
            #expect(leader.session.roundTrips == before + 1)
            before = leader.session.roundTrips
            #expect(try leader.sum() == 0)
            #expect(leader.session.roundTrips == before + 1)
        }
    }

    @Test("A question that fails spoils no other one")
    func failsAlone() throws {
        let leader = try ServerLeader()
        try leader.session.transaction { () throws(SQLError) in try self.insertTags(3, leader) }
        let failing = Statement("SELECT 1 / length(value) FROM job_tags")
        let unknown = Statement("SELECT nothing FROM job_tags")
        let count = Statement("SELECT count(*) FROM job_tags")
        for statement in [failing, unknown, count] { try statement.attach(to: leader.session) }
        for _ in 0..<2 {
            #expect(throws: SQLError.self) { try failing.forEach { _ in true } }
            #expect(try count.first { row throws(SQLError) in try row.number(0, as: Int.self) } == 3)
            #expect(throws: SQLError.self) { try unknown.first { _ in true } }
            #expect(throws: SQLError.self) { try unknown.forEach { _ in true } }
            #expect(try count.first { row throws(SQLError) in try row.number(0, as: Int.self) } == 3)
        }
    }

    @Test("Questions go on over another connection after theirs was lost")
    func asksAgain() throws {
        let leader = try ServerLeader()
        try leader.session.transaction { () throws(SQLError) in try leader.add(4) }
        #expect(try leader.sum() == 4)
        try leader.endSessions()
        #expect(try leader.sum() == 4)
        try leader.endSessions()
        var seen = 0
        try leader.statements.cluster.queues.forEach { _ in
            seen += 1
            return true
        }
        #expect(seen == 0)
        // The transaction that meets the lost connection has no effect, and says so.
        let error = try #require(throws: SQLError.self) {
            try leader.session.transaction { () throws(SQLError) in try leader.add(1) }
        }
        #expect(error.code == .unreachable)
        #expect(try leader.committedSum() == 4)
        try leader.proveAgain()
        try leader.session.transaction { () throws(SQLError) in try leader.add(1) }
        #expect(try leader.committedSum() == 5)
    }

    @Test("The questions of a moment are all about it")
    func hasMoments() throws {
        let leader = try ServerLeader()
        let reader = try ServerSession(leader.schema.server, lease: nil)
        let statements = try Statements(reader)
        let read = { () throws(SQLError) -> Int64? in
            statements.record.meta.bind(.key, text: "removed_operations")
            return try statements.record.meta.first { row throws(SQLError) in try row.number(0) }
        }
        reader.atOneMoment {
            #expect(throws: Never.self) {
                #expect(try read() == 0)
                try leader.session.transaction { () throws(SQLError) in try leader.add(1) }
                #expect(try read() == 0)
            }
        }
        #expect(try read() == 1)
        #expect(throws: SQLError.self) { try reader.transaction { () throws(SQLError) in } }
        #expect(throws: SQLError.self) { try reader.writer.execute("UPDATE meta SET value = 0") }
        reader.close()
    }

    @Test("Each acknowledged transaction is a proof, with a moment from before it")
    func proves() throws {
        let leader = try ServerLeader()
        let proofs = Calls<Timestamp>()
        leader.session.onProof = { proofs.append($0) }
        let before = LeaseClock.now
        try leader.session.transaction { () throws(SQLError) in try leader.add(1) }
        try leader.session.prove()
        _ = try leader.sum()
        try? leader.session.transaction { () throws(SQLError) in throw SQLError(.statement, "ended") }
        #expect(proofs.all.count == 2)
        #expect(proofs.all.allSatisfy { before <= $0 && $0 <= LeaseClock.now })
        #expect(proofs.all == proofs.all.sorted())
    }
}
