@_spi(Baton) import BatonOperations
import BatonTestServers
import Testing

@_spi(Baton) @testable import BatonStore

/// How often a commit waits for the server, which is what it takes over a network.
@Suite("Round trips to a server", .enabled(if: PostgreSQLServer.isThere), .timeLimit(.minutes(60)))
struct RoundTripTests {
    private let test: TestStore

    init() throws {
        test = try TestStore(.server)
    }

    private struct NoSession: Error {}

    /// How many answers a commit waits for.
    private func roundTrips(_ changes: [RecordChange]) throws -> Int {
        guard case .server(let session) = test.store.engine else { throw NoSession() }
        let before = session.roundTrips
        try test.store.commit(changes)
        return session.roundTrips - before
    }

    private func events(from first: UInt64, count: Int) -> [RecordChange] {
        (0..<UInt64(count)).map { place in
            .event(ClusterEvent(sequence: first + place, time: .at(1), subject: .worker("w", .alive)))
        }
    }

    private func submit(job number: UInt32 = 1, operations: Int) throws {
        let array = Entry(array: .numbers(first: 0, step: 1, count: operations))
        try test.store.commit([.job(JobRecord(number, [array]))])
    }

    private let clock = RecordChange.clock(.at(50), at: .at(50))

    @Test("A thousand operations that succeed are one round trip, also after a restart")
    func successes() throws {
        try submit(operations: 2000)
        for start in [0, 1000] as [UInt32] {
            let ends = (start..<start + 1000).map { RecordChange.operation(.finished(1, $0)) }
            let outputs = (start..<start + 1000).map { index in
                RecordChange.output(OperationID(1, index), AttemptOutput(attempt: 1, "out", result: "r"))
            }
            let all = ends + outputs + events(from: UInt64(start) + 1, count: 1000) + [clock]
            #expect(try roundTrips(all) == 1)
            try test.restart()
        }
        #expect(test.state.jobs.first?.records.count == 2000)
        #expect(try test.store.events(after: 0, limit: .max).count == 2000)
    }

    @Test("A thousand jobs of one operation each are one round trip with their ends")
    func jobs() throws {
        let numbers = (1...1000) as ClosedRange<UInt32>
        let submitted = numbers.map { RecordChange.job(JobRecord($0, key: "key\($0)", [Entry(name: "one")])) }
        let ends = numbers.flatMap { number -> [RecordChange] in
            let counts = JobCounts(succeeded: 1)
            return [.operation(.finished(number, 0)), .jobFinished(JobNumber(number), counts, .at(9))]
        }
        #expect(try roundTrips(submitted + ends + events(from: 1, count: 10) + [clock]) == 1)
        // An end that is noted twice counts once.
        #expect(try roundTrips(ends.filter { if case .jobFinished = $0 { true } else { false } } + [clock]) == 1)
        try test.restart()
        #expect(test.state.finished == JobCounts(succeeded: 1000) && test.state.jobs.isEmpty)
    }

    @Test("A thousand attempts that are made again are one round trip")
    func attempts() throws {
        try submit(operations: 1000)
        let changes = (0..<1000).flatMap { (index: UInt32) -> [RecordChange] in
            var record = OperationRecord(id: OperationID(1, index), state: .pending)
            (record.attempt, record.failures) = (1, 1)
            return [
                .operation(record), .attempt(record.id, .failed(1)),
                .output(record.id, AttemptOutput(attempt: 1, "", error: "bad\n")),
            ]
        }
        #expect(try roundTrips(changes + [clock]) == 1)
        #expect(try test.store.attempts(of: OperationID(1, 999)).count == 1)
    }

    @Test("The round trips of failures go by their kinds, and not by their number", arguments: [1, 4])
    func failures(kinds: Int) throws {
        try submit(operations: 2000)
        var found: Set<Int> = []
        for (start, count) in [(0, 20), (100, 1000)] as [(UInt32, UInt32)] {
            let changes = (start..<start + count).flatMap { index -> [RecordChange] in
                var record = OperationRecord.finished(1, index, .failed)
                record.exitStatus = Int32(index % UInt32(kinds)) + 1
                record.reason = Reason(.exit, "It exited.")
                return [.operation(record), .output(record.id, AttemptOutput(attempt: 1, "", error: "bad\n"))]
            }
            found.insert(try roundTrips(changes + [clock]))
        }
        // The commit, what is known of the failures, and of each kind its group; the first commit also asks for the last group.
        #expect(found == [2 + kinds + 1, 2 + kinds])
        #expect(try test.store.failureGroups(of: JobNumber(1)).map(\.count).reduce(0, +) == 1020)
    }

    @Test("A start asks as often for many small jobs as for a few, and reads large ones beside them")
    func starts() throws {
        var counts: [Int] = []
        var submitted: [JobRecord] = []
        for end in [10, 600] as [UInt32] {
            let jobs = (UInt32(submitted.count) + 1...end).map { number in
                // The job in the middle is read by itself.
                let entry = number == 5 ? Entry(array: .numbers(first: 0, step: 1, count: 3000)) : Entry(name: "only")
                let earlier = number > 1 ? [Dependency(on: .existing(.job(JobNumber(number - 1))))] : []
                let lines = Entry(dependencies: earlier, array: .lines(["a", "b"]))
                return JobRecord(number, key: "key\(number)", [entry, lines])
            }
            submitted += jobs
            try test.store.commit(jobs.map { .job($0) })
            try test.store.commit(jobs.map { .operation(.finished($0.number.rawValue, 0)) } + [clock])
            try test.restart()
            guard case .server(let session) = test.store.engine else { throw NoSession() }
            counts.append(session.roundTrips)
            #expect(test.state.jobs.map(\.job) == submitted)
            #expect(test.state.jobs.allSatisfy { $0.records == [.finished($0.job.number.rawValue, 0)] })
        }
        // A machine that is slow proves the lead now and then.
        #expect(counts[1] <= counts[0] + 20, "\(counts)")
    }

    @Test("The figures of the last hour are those of a file")
    func recentEnds() throws {
        let tests = [test, try TestStore(.memory)]
        let array = Entry(array: .numbers(first: 0, step: 1, count: 50))
        for test in tests {
            try test.store.commit((1...3).map { .job(JobRecord($0, [array])) })
            for job in 1...3 as ClosedRange<UInt32> {
                let changes = (0..<50).map { (index: UInt32) -> RecordChange in
                    var record = OperationRecord.finished(job, index, index.isMultiple(of: 3) ? .failed : .succeeded)
                    record.startedAt = .at(Int64(9000 + index % 7))
                    record.finishedAt = .at(Int64(9010 + index % 5 - job))
                    return .operation(record)
                }
                try test.store.commit(changes + [.clock(.at(9000), at: .at(9000))])
            }
            for (job, time) in [(1, 2000), (2, 9005)] as [(UInt32, Int64)] {
                let end = RecordChange.jobFinished(JobNumber(job), JobCounts(succeeded: 50), .at(time))
                try test.store.commit([end, .clock(.at(time), at: .at(time))])
            }
        }
        for now in [9003, 9008, 9500, 12_605, 90_000] as [Int64] {
            let found = try tests.map { try $0.store.recentEnds(before: .at(now), clock: .at(now)) }
            #expect(found[0] == found[1], "\(now)")
        }
        #expect(try test.store.recentEnds(before: .at(9500), clock: .at(9500)).seconds.isEmpty == false)
    }

    @Test("The removal of a job asks a few questions, whatever the tables, and leaves no row")
    func removal() throws {
        let count = 60
        let numbers = (1...UInt32(count)).map { $0 }
        try test.store.commit(
            numbers.flatMap { number -> [RecordChange] in
                let id = OperationID(number, 0)
                return [
                    .job(JobRecord(number, [Entry(name: "a"), Entry(array: .lines(["x", "y"]))])),
                    .operation(.finished(number, 0)), .operation(.finished(number, 1, count: 2, .cancelled)),
                    .attempt(id, .failed(1)), .output(id, AttemptOutput(attempt: 2, "out", error: "bad")),
                    .files(id, attempt: 1, [.sample("a")]), .commands(id, [["other"]]),
                    .jobFinished(JobNumber(number), JobCounts(succeeded: 1, cancelled: 2), .at(5)),
                ]
            } + [.clock(.at(5), at: .at(5))]
        )
        guard case .server(let session) = test.store.engine else { throw NoSession() }
        let before = session.roundTrips
        while try test.store.removeFinished(beyond: Retention(age: .seconds(1)), except: [], at: .at(1000)) {}
        #expect(session.roundTrips - before < 5 * count + 20)
        for shape in Schema.shapes where !["meta", "starts"].contains(shape.name) {
            let statement = Statement("SELECT count(*) FROM \(shape.name)")
            try test.store.engine.attach(statement)
            let rows = try statement.first { row throws(SQLError) in try row.number(0, as: Int.self) }
            #expect(rows == 0, "\(shape.name)")
        }
    }

    @Test("A large removed job goes in parts")
    func removalInParts() throws {
        try submit(operations: 3000)
        try test.store.commit((0..<3000).map { .operation(.finished(1, $0)) })
        try test.store.commit((0..<3000).map { .output(OperationID(1, $0), AttemptOutput(attempt: 1, "out")) })
        try test.store.commit([.jobFinished(JobNumber(1), JobCounts(succeeded: 3000), .at(5)), clock])
        var steps = 0
        while try test.store.removeFinished(beyond: Retention(age: .seconds(1)), except: [], at: .at(1000)) {
            steps += 1
        }
        #expect(steps >= 3)
        try submit(job: 2, operations: 3)
        #expect(try test.store.jobs(before: nil, limit: 9).map(\.number) == [JobNumber(2)])
    }

    @Test("Old events are dropped now and then, and enough of them are kept")
    func oldEvents() throws {
        let test = try TestStore(.server, eventHistory: 10)
        for commit in 0..<200 as Range<UInt64> { try test.store.commit(events(from: commit * 5 + 1, count: 5)) }
        let kept = try test.store.events(after: 0, limit: .max)
        #expect(kept.count >= 10 && kept.count <= 64 * 5 + 10 && kept.last?.sequence == 1000)
    }
}
