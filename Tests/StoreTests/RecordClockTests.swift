@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
import Testing

/// The record's own clock, which goes on only while a coordinator runs.
@Suite("A record's clock", .timeLimit(.minutes(60)))
struct RecordClockTests {
    private static let day = Duration.seconds(86_400)
    /// The error of a host's clock at a start.
    private static let errors = [.zero - day, .zero - .seconds(5), .zero, .seconds(5), day * 10]

    @Test(
        "The record's clock keeps the remaining time of delays and retries over starts at any time of day",
        arguments: errors
    )
    func keepsWaits(_ error: Duration) throws {
        let test = try TestStore()
        let submitted = Timestamp.at(1_000_001)
        var waiting = OperationRecord(id: OperationID(1, 1))
        waiting.attempt = 1
        waiting.notBefore = submitted + .seconds(60)
        var job = JobRecord(1, [Entry(delay: .seconds(30)), Entry()])
        job.submittedAt = submitted
        try test.store.commit([.job(job), .operation(waiting), .clock(submitted, at: submitted)])
        // The record's clock counts ten seconds in the first life, and five in each later life; an hour passes between
        // lives.
        var now = submitted + .seconds(10)
        var clock = now
        try test.store.commit([.clock(clock, at: now)])
        for _ in 0..<3 {
            try test.restart()
            now = now + .seconds(3600) + error
            var state = test.state
            #expect(state.clock == clock)
            #expect(state.begin(at: now) == now - clock)
            let restored = try #require(state.jobs.first)
            #expect(restored.job.submittedAt + .seconds(30) == now + (submitted + .seconds(30) - clock))
            #expect(restored.records.first?.notBefore == now + (submitted + .seconds(60) - clock))
            // Repeated changes keep their times, and shown times are times of day.
            try test.store.commit(restored.records.map { .operation($0) } + [.clock(clock, at: now)])
            #expect(try test.store.job(JobNumber(1))?.submittedAt == submitted)
            clock = clock + .seconds(5)
            now = now + .seconds(5)
            try test.store.commit([.clock(clock, at: now)])
        }
    }

    @Test(
        "A queue's counts since a moment include operations that finished before and after a restart",
        arguments: errors
    )
    func knowsEnds(_ error: Duration) throws {
        let test = try TestStore()
        func finish(_ number: UInt32, at time: Timestamp, clock: Timestamp) throws {
            var record = OperationRecord.finished(number, 0)
            record.finishedAt = time
            try test.store.commit([
                .job(JobRecord(number, [Entry()])), .operation(record),
                .jobFinished(JobNumber(number), JobCounts(succeeded: 1), time), .clock(clock, at: time),
            ])
        }
        let start = Timestamp.at(1_000_001)
        try finish(1, at: start + .seconds(-3600), clock: start + .seconds(-3600))
        try finish(2, at: start + .seconds(10), clock: start + .seconds(10))
        try test.restart()
        // An hour passes without a coordinator, by a clock that is set meanwhile.
        let again = start + .seconds(3610) + error
        try test.store.commit([.clock(start + .seconds(10), at: again)])
        try finish(3, at: again + .seconds(1), clock: start + .seconds(11))
        let began = RecordMoment(clock: start + .seconds(9), time: start + .seconds(9))
        #expect(try test.store.counts(ofQueue: "default", finishedSince: began) == JobCounts(succeeded: 2))
    }

    @Test(
        "Times that no record can hold are kept as the nearest ones, and can be read",
        arguments: [.at(885_390_663_449), .at(-70_000_000_000), Timestamp(rawValue: .max), Timestamp(rawValue: .min)]
            as [Timestamp]
    )
    func wrongByMillennia(_ time: Timestamp) throws {
        let test = try TestStore()
        var job = JobRecord(1, [Entry(), Entry(delay: .seconds(60))])
        job.submittedAt = time
        var ended = OperationRecord.finished(1, 0)
        (ended.readyAt, ended.startedAt, ended.finishedAt) = (time, time, time)
        var waiting = OperationRecord(id: OperationID(1, 1))
        waiting.attempt = 1
        waiting.notBefore = time + .seconds(60)
        try test.store.commit([
            .job(job), .operation(ended), .operation(waiting), .job(JobRecord(2, [Entry()])),
            .operation(.finished(2, 0)), .jobFinished(JobNumber(2), JobCounts(succeeded: 1), time),
            .event(ClusterEvent(sequence: 1, time: time, subject: .clockStepped(.seconds(1)))),
            .clock(time, at: time),
        ])
        try test.restart()
        let kept = time.nearestRecordable
        #expect(test.state.clock == kept)
        #expect(try test.store.job(JobNumber(1))?.submittedAt == kept)
        #expect(try test.store.job(JobNumber(2))?.finishedAt == kept)
        let records = try #require(try test.store.restoredJob(JobNumber(1))).records
        #expect(records.first?.readyAt == kept && records.first?.finishedAt == kept)
        #expect(records.last?.notBefore != nil)
        #expect(try test.store.events(after: 0, limit: 9).map(\.time) == [kept])
    }

    @Test("A delay that ends after the last moment of a record can be read", arguments: StoreKind.engines)
    func endsTooLate(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let now = Timestamp.recordable.upperBound
        var waiting = OperationRecord(id: OperationID(1, 0))
        waiting.attempt = 1
        waiting.notBefore = now + .seconds(60)
        try test.store.commit([.job(JobRecord(1, [Entry()])), .operation(waiting), .clock(now, at: now)])
        try test.restart()
        #expect(test.state.jobs.first?.records.first?.notBefore == now)
    }

    @Test(
        "Times ahead of the host's clock move back before a start, in their order, except of what has ended",
        arguments: StoreKind.engines
    )
    func followsClock(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let start = Timestamp.at(1_000_001)
        let wrong = start + Self.day
        var earlier = JobRecord(1, [Entry()])
        earlier.submittedAt = start
        var job = JobRecord(2, (0..<3).map { _ in Entry() })
        job.submittedAt = wrong
        var executing = OperationRecord(id: OperationID(2, 0), state: .executing)
        executing.token = RecordToken(epoch: 1, serial: 7)
        (executing.readyAt, executing.startedAt) = (wrong, wrong + .seconds(5))
        var ended = OperationRecord.finished(2, 1)
        ended.finishedAt = wrong + .seconds(6)
        try test.store.commit([.job(earlier), .clock(start, at: start)])
        try test.restart()
        try test.store.commit([
            .job(job), .operation(executing), .operation(ended), .clock(start + .seconds(20), at: wrong + .seconds(20)),
        ])
        try test.restart()
        #expect(try test.store.followClock(at: wrong + .seconds(20)) == nil)
        let now = start + .seconds(60)
        let lead = try #require(try test.store.followClock(at: now))
        let length = Self.day - .seconds(40) + .microseconds(1)
        #expect(lead == RecordLead(newest: wrong + .seconds(20), length: length, floor: start))
        let moved = now + .seconds(-20) + .microseconds(-1)
        #expect(try test.store.job(JobNumber(1))?.submittedAt == start)
        #expect(try test.store.job(JobNumber(2))?.submittedAt == moved)
        let records = try #require(try test.store.restoredJob(JobNumber(2))).records
        #expect(records.map(\.readyAt) == [moved, ended.readyAt])
        #expect(records.first?.startedAt == moved + .seconds(5))
        #expect(records.last?.finishedAt == ended.finishedAt)
    }

    @Test(
        "Times that a run noted move with the host's clock, also those of earlier moments of its first transaction",
        arguments: [1, 2, 3]
    )
    func movesTimes(moments: Int) throws {
        let test = try TestStore()
        let start = Timestamp.at(1_000_001)
        try test.store.commit([.job(JobRecord(1, (0..<4).map { _ in Entry() })), .clock(start, at: start)])
        try test.restart()
        var changes: [RecordChange] = []
        for moment in 0..<moments {
            var record = OperationRecord(id: OperationID(1, UInt32(moment)))
            record.readyAt = start + .seconds(10 + moment)
            changes += [.operation(record), .clock(start + .seconds(10 + moment), at: start + .seconds(10 + moment))]
        }
        try test.store.commit(changes)
        let end = start + .seconds(60)
        try test.store.commit([.clock(end, at: end + Self.day)])
        try test.restart()
        let times = try #require(test.state.jobs.first).records.map(\.readyAt)
        #expect(times == (0..<moments).map { start + .seconds(10 + $0) + Self.day })
    }

    @Test(
        "The record's clock decides the age of a finished job, and which of two finished jobs is older",
        arguments: errors
    )
    func decidesAges(_ error: Duration) throws {
        let test = try TestStore()
        let start = Timestamp.at(1_000_001)
        func finish(_ number: UInt32, at time: Timestamp, clock: Timestamp) throws {
            try test.store.commit([
                .job(JobRecord(number, [Entry()])), .operation(.finished(number, 0)),
                .jobFinished(JobNumber(number), JobCounts(succeeded: 1), time), .clock(clock, at: time),
            ])
        }
        func remove(_ retention: Retention, at clock: Timestamp) throws -> [UInt32] {
            while try test.store.removeFinished(beyond: retention, except: [], at: clock) {}
            return try test.store.jobs(before: nil, limit: 9).map(\.number.rawValue)
        }
        try finish(1, at: start, clock: start)
        try test.restart()
        let clock = start + .seconds(60)
        try finish(2, at: clock + error, clock: clock)
        let week = Retention(age: Self.day * 7, operations: nil)
        #expect(try remove(week, at: clock) == [2, 1])
        #expect(try remove(week, at: start + Self.day * 7 + .seconds(30)) == [2])
        try finish(3, at: clock + error + .seconds(1), clock: clock + .seconds(1))
        try test.restart()
        try finish(4, at: clock + (.zero - error), clock: clock + .seconds(2))
        #expect(try remove(Retention(age: nil, operations: 2), at: clock + .seconds(2)) == [4, 3])
    }
}
