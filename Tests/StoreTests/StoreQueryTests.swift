@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
import Testing

/// What every store must answer.
@Suite("Queries of every store", .timeLimit(.minutes(60)))
struct StoreQueryTests {
    @Test("A store lists jobs in pages, the newest first", arguments: StoreKind.engines)
    func pagesOfJobs(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        try test.store.commit((1...7).map { .job(JobRecord($0, name: "job \($0)", [Entry(), Entry()])) })
        try test.store.commit([.jobFinished(JobNumber(6), JobCounts(cancelled: 2), .at(60))])
        let page = try test.store.jobs(before: nil, limit: 3)
        #expect(page.map(\.number.rawValue) == [7, 6, 5])
        #expect(page[0].name == "job 7" && page[0].operations == 2 && page[0].queue == "default")
        #expect(page[0].submittedAt == .at(7) && page[0].finishedAt == nil && page[0].counts == nil)
        #expect(page[1].finishedAt == .at(60) && page[1].counts == JobCounts(cancelled: 2))
        #expect(try test.store.jobs(before: JobNumber(3), limit: 100).map(\.number.rawValue) == [2, 1])
        #expect(try test.store.jobs(before: JobNumber(1), limit: 100).isEmpty)
        #expect(try test.store.jobs(before: nil, limit: -1).isEmpty)
    }

    @Test("A store finds a job by its key, also after a restart", arguments: StoreKind.engines)
    func findsKeys(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        try test.store.commit([.job(JobRecord(1, [Entry()])), .job(JobRecord(2, key: "nightly", [Entry()]))])
        try test.store.commit([.jobFinished(JobNumber(2), JobCounts(succeeded: 1), .at(3))])
        try test.restart()
        #expect(try test.store.job(withKey: "nightly")?.number == JobNumber(2))
        #expect(try test.store.job(JobNumber(2))?.key == "nightly" && test.store.job(JobNumber(1))?.key == nil)
        #expect(try test.store.job(withKey: "daily") == nil)
    }

    @Test("A store finds an operation or an array by its name", arguments: StoreKind.engines)
    func findsNames(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let entries = [Entry(name: "a"), Entry(name: "many", array: .lines(["x", "y"])), Entry(), Entry(name: "last")]
        try test.store.commit([.job(JobRecord(1, entries)), .job(JobRecord(2, [Entry(), Entry(name: "a")]))])
        #expect(try test.store.operations(named: "a", in: JobNumber(1)) == 0..<1)
        #expect(try test.store.operations(named: "many", in: JobNumber(1)) == 1..<3)
        #expect(try test.store.operations(named: "last", in: JobNumber(1)) == 4..<5)
        #expect(try test.store.operations(named: "a", in: JobNumber(2)) == 1..<2)
        #expect(try test.store.operations(named: "b", in: JobNumber(1)) == nil)
        #expect(try test.store.operations(named: "a", in: JobNumber(3)) == nil)
    }

    @Test(
        "A store counts the operations of a queue that finished since a moment, in all jobs",
        arguments: StoreKind.engines
    )
    func countsEnds(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        func end(_ job: UInt32, _ index: UInt32, _ outcome: Outcome, at time: Int64, count: UInt32 = 1) -> RecordChange
        {
            var record = OperationRecord(id: OperationID(job, index), count: count, state: .finished)
            record.outcome = outcome
            record.finishedAt = .at(time)
            return .operation(record)
        }
        let array = Entry(queue: 1, array: .numbers(first: 0, step: 1, count: 4))
        let entries = [Entry(queue: 0), array, Entry(queue: 1)]
        let jobs = (UInt32(1)...3).map { number in
            var job = JobRecord(number, entries)
            job.submission.queueNames = ["other", "q"]
            return job
        }
        try test.store.commit(jobs.map { .job($0) })
        try test.store.commit([
            end(1, 1, .skipped, at: 19, count: 4), end(1, 5, .failed, at: 20),
            .jobFinished(JobNumber(1), JobCounts(), .at(21)),
            end(2, 0, .failed, at: 30), end(2, 1, .cancelled, at: 30, count: 3), end(2, 4, .succeeded, at: 40),
            end(3, 5, .succeeded, at: 25), .jobFinished(JobNumber(3), JobCounts(), .at(50)),
        ])
        for _ in 0..<2 {
            #expect(
                try test.store.counts(ofQueue: "q", finishedSince: .at(20))
                    == JobCounts(succeeded: 2, failed: 1, cancelled: 3)
            )
            #expect(
                try test.store.counts(ofQueue: "q", finishedSince: .at(26)) == JobCounts(succeeded: 1, cancelled: 3)
            )
            #expect(try test.store.counts(ofQueue: "other", finishedSince: .at(0)) == JobCounts(failed: 1))
            #expect(try test.store.counts(ofQueue: "none", finishedSince: .at(0)) == JobCounts())
            try test.restart()
        }
    }

    @Test("A store returns dependencies as addresses, with the size of an array", arguments: StoreKind.engines)
    func givesDependencies(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let dependent = Entry(dependencies: [
            Dependency(on: .entry(1), condition: .success), Dependency(on: .existing(.job(JobNumber(1)))),
            Dependency(on: .existing(.operation(OperationID(1, 0))), condition: .failure),
        ])
        let array = Entry(array: .numbers(first: 0, step: 1, count: 5))
        try test.store.commit([.job(JobRecord(1, [Entry()])), .job(JobRecord(2, [dependent, array]))])
        let operation = try #require(try test.store.operations(of: JobNumber(2), from: 0, limit: 1).first)
        #expect(
            operation.dependencies == [
                StoredDependency(target: .operation(OperationID(2, 1)), count: 5, condition: .success),
                StoredDependency(target: .job(JobNumber(1)), count: 0, condition: .any),
                StoredDependency(target: .operation(OperationID(1, 0)), count: 1, condition: .failure),
            ]
        )
    }

    @Test(
        "A store lists the last 20 earlier attempts of an operation, oldest first, also after a restart",
        arguments: StoreKind.engines
    )
    func attempts(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let id = OperationID(1, 1)
        var lost = AttemptRecord.failed(2)
        (lost.worker, lost.startedAt, lost.exitStatus) = (nil, nil, nil)
        lost.reason = Reason(.lost, "Its worker w1 was lost.")
        lost.signal = 9
        try test.store.commit([.job(JobRecord(1, [Entry(), Entry(), Entry()])), .attempt(id, .failed(1))])
        try test.store.commit([.attempt(id, lost), .attempt(OperationID(1, 2), .failed(7))])
        #expect(try test.store.attempts(of: id) == [.failed(1), lost])
        try test.restart()
        #expect(try test.store.attempts(of: id) == [.failed(1), lost])
        // Numbers skip; the bound counts attempts.
        for number in UInt32(2)...500 { try test.store.commit([.attempt(id, .failed(2 * number))]) }
        let kept = (UInt32(481)...500).map { AttemptRecord.failed(2 * $0) }
        #expect(kept.count == AttemptRecord.maximumCount)
        #expect(try test.store.attempts(of: id) == kept)
        try test.store.commit((UInt32(1001)...1030).map { .attempt(id, .failed($0)) })
        #expect(try test.store.attempts(of: id) == (1011...1030).map { .failed($0) })
        #expect(try test.store.attempts(of: OperationID(1, 2)) == [.failed(7)])
        for other in [OperationID(1, 0), OperationID(1, 9), OperationID(2, 1)] {
            #expect(try test.store.attempts(of: other).isEmpty)
        }
    }

    @Test("A store lists operations without a record as pending", arguments: StoreKind.engines)
    func listsUntouchedOperations(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let lines = (0..<1000).map { "line \($0)" }
        try test.store.commit([.job(JobRecord(1, [Entry(), Entry(name: "l", array: .lines(lines)), Entry(name: "z")]))])
        let page = try test.store.operations(of: JobNumber(1), from: 998, limit: 100)
        #expect(page.map(\.record) == (998...1001).map { OperationRecord(id: OperationID(1, $0)) })
        #expect(page.map(\.arrayItem) == ["line 997", "line 998", "line 999", nil])
        #expect(page.map(\.entry.name) == ["l", "l", "l", "z"])
        #expect(try test.store.operations(of: JobNumber(1), from: 1002, limit: 100).isEmpty)
        #expect(try test.store.operations(of: JobNumber(1), from: .max, limit: 100).isEmpty)
    }

    @Test("A store keeps the output of each attempt", arguments: StoreKind.engines)
    func keepsOutputs(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let id = OperationID(1, 0)
        let first = AttemptOutput(attempt: 1, "out\n", error: "err\n")
        var second = AttemptOutput(attempt: 2, "", result: "")
        second.standardOutput = OutputTail(totalLength: 1_000_000, bytes: [UInt8](repeating: 0, count: 65_536))
        let third = AttemptOutput(attempt: 3, "")
        try test.store.commit([.job(JobRecord(1, [Entry()])), .output(id, first)])
        try test.store.commit([.output(id, second), .output(id, third)])
        try test.restart()
        #expect(try test.store.output(of: id, attempt: 1) == first)
        #expect(try test.store.output(of: id, attempt: 2) == second)
        #expect(try test.store.output(of: id, attempt: 3) == nil)
        #expect(try test.store.output(of: id, attempt: nil) == second)
        #expect(try test.store.output(of: OperationID(1, 1), attempt: nil) == nil)
    }

    @Test("A store returns the result of the last attempt only", arguments: StoreKind.engines)
    func givesResults(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let id = OperationID(1, 0)
        try test.store.commit([
            .job(JobRecord(1, [Entry()])), .output(id, AttemptOutput(attempt: 1, "", result: "old")),
        ])
        #expect(try test.store.result(of: id) == nil)
        var record = OperationRecord.finished(1, 0, hasResult: true)
        record.attempt = 2
        try test.store.commit([.operation(record), .output(id, AttemptOutput(attempt: 2, "", result: "new"))])
        #expect(try test.store.result(of: id) == Array("new".utf8))
        record.attempt = 3
        record.hasResult = false
        try test.store.commit([.operation(record)])
        #expect(try test.store.result(of: id) == nil)
    }

    @Test(
        "A store copies the result of an operation's last attempt, and keeps the copy when the operation is removed",
        arguments: StoreKind.engines
    )
    func copiesResults(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        var record = OperationRecord.finished(1, 0, hasResult: true)
        record.attempt = 2
        try test.store.commit([
            .job(JobRecord(1, [Entry()])), .output(record.id, AttemptOutput(attempt: 1, "", result: "old")),
            .operation(record), .output(record.id, AttemptOutput(attempt: 2, "printed", result: "new")),
        ])
        var copy = OperationRecord.finished(2, 0, hasResult: true)
        copy.attempt = 0
        copy.reason = .reused(from: record.id)
        try test.store.commit([
            .job(JobRecord(2, [Entry(), Entry()])), .result(copy.id, from: record.id), .operation(copy),
            .result(OperationID(2, 1), from: OperationID(1, 1)),
        ])
        try test.restart()
        #expect(try test.store.result(of: copy.id) == Array("new".utf8))
        let stored = try test.store.operations(of: JobNumber(2), from: 0, limit: 1)
        #expect(stored.first?.record.reason?.reusedFrom == record.id)
        #expect(try test.store.output(of: copy.id, attempt: 0)?.standardOutput == OutputTail())
        #expect(try test.store.output(of: OperationID(2, 1), attempt: nil) == nil)
    }

    @Test(
        "DE20 A store names an operation's inputs after the dependencies that left a result",
        arguments: StoreKind.engines
    )
    func namesInputs(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let map = Entry(name: "map", array: .numbers(first: 1, step: 1, count: 3))
        try test.store.commit([.job(JobRecord(1, [Entry(name: "one"), map, Entry()]))])
        let reduce = Entry(
            name: "reduce",
            dependencies: [
                Dependency(on: .entry(2)), Dependency(on: .entry(1)), Dependency(on: .entry(0), condition: .success),
                Dependency(on: .entry(0)), Dependency(on: .entry(4)), Dependency(on: .existing(.job(JobNumber(1)))),
                Dependency(on: .existing(.operation(OperationID(1, 0)))),
            ]
        )
        let unnamed = Entry(array: .lines(["x", "y"]))
        try test.store.commit([.job(JobRecord(2, [Entry(name: "silent"), Entry(name: "left"), map, reduce, unnamed]))])
        let indices: [(job: UInt32, index: UInt32)] = [
            (1, 0), (1, 2), (1, 4), (2, 1), (2, 2), (2, 4), (2, 7),
        ]
        for (job, index) in indices { try test.store.commit([.operation(.finished(job, index, hasResult: true))]) }
        try test.store.commit([.operation(.finished(2, 0)), .operation(.finished(2, 6, .skipped))])
        let inputs = try test.store.dependenciesWithResults(of: OperationID(2, 5), calledBy: .number)
        #expect(inputs.map(\.fileName) == ["map.1", "map.3", "left", "7", "one", "1.map.2", "1.4"])
        #expect(inputs.map(\.operation.description) == ["2/2", "2/4", "2/1", "2/7", "1/0", "1/2", "1/4"])
        #expect(try test.store.dependenciesWithResults(of: OperationID(2, 0), calledBy: .number).isEmpty)
        #expect(try test.store.dependenciesWithResults(of: OperationID(9, 0), calledBy: .number).isEmpty)

        // All that are finished, in the order of the dependencies, with an absence for each that left nothing.
        let finished = try test.store.finishedDependencies(of: OperationID(2, 5))
        #expect(
            finished.filter(\.hasResult).map(\.operation.description) == [
                "2/2", "2/4", "2/1", "2/7", "1/0", "1/2", "1/4",
            ]
        )
        #expect(
            finished.filter { !$0.hasResult }
                == [
                    FinishedDependency(
                        operation: OperationID(2, 0),
                        name: "silent",
                        type: nil,
                        outcome: .succeeded,
                        hasResult: false
                    ),
                    FinishedDependency(
                        operation: OperationID(2, 6),
                        name: nil,
                        type: nil,
                        outcome: .skipped,
                        hasResult: false
                    ),
                ]
        )
        #expect(finished.map(\.name).prefix(3) == ["map.1", "map.3", "left"])
        #expect(try test.store.finishedDependencies(of: OperationID(2, 0)).isEmpty)
        #expect(try test.store.finishedDependencies(of: OperationID(9, 0)).isEmpty)
    }

    @Test("A store returns the outcomes of finished operations and jobs", arguments: StoreKind.engines)
    func tellsDependencyEnds(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let array = Entry(name: "many", array: .numbers(first: 0, step: 1, count: 4))
        try test.store.commit([
            .job(JobRecord(1, [Entry(name: "a"), array])), .operation(.finished(1, 0, hasResult: true)),
        ])
        let succeeded = DependencyEnd(.succeeded, hasResult: true)
        #expect(try test.store.dependencyEnd(of: .operation(OperationID(1, 0))) == succeeded)
        #expect(try test.store.dependencyEnd(of: .named(JobNumber(1), "a")) == succeeded)
        #expect(try test.store.dependencyEnd(of: .operation(OperationID(1, 2))) == nil)
        #expect(try test.store.dependencyEnd(of: .job(JobNumber(1))) == nil)
        #expect(try test.store.dependencyEnd(of: .job(JobNumber(2))) == nil)
        try test.store.commit([.operation(.finished(1, 1, count: 4, .skipped))])
        let skipped = DependencyEnd(.cancelled(OperationID(1, 4)))
        #expect(try test.store.dependencyEnd(of: .operation(OperationID(1, 4))) == skipped)
        #expect(try test.store.dependencyEnd(of: .operation(OperationID(1, 5))) == nil)
        try test.store.commit([.jobFinished(JobNumber(1), JobCounts(succeeded: 1, skipped: 4), .at(9))])
        let job = DependencyEnd(.cancelled(OperationID(1, 0)), hasResult: true)
        #expect(try test.store.dependencyEnd(of: .job(JobNumber(1))) == job)
    }
}
