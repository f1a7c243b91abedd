@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonStore

/// Tests of what a job took, by its record.
@Suite("The summary of a job's run", .timeLimit(.minutes(60)))
struct RunSummaryTests {
    /// A finished operation that ran on a worker, with times in seconds.
    private func ran(
        _ index: UInt32,
        on worker: String,
        ready: Int64,
        from start: Int64,
        to end: Int64,
        of job: UInt32 = 1
    ) -> RecordChange {
        var record = OperationRecord.finished(job, index)
        (record.worker, record.attempt) = (worker, 1)
        (record.readyAt, record.startedAt, record.finishedAt) = (.at(ready), .at(start), .at(end))
        return .operation(record)
    }

    private func used(_ index: UInt32, attempt: UInt32 = 1, seconds: Int64, memory: Int64) -> RecordChange {
        var output = AttemptOutput(attempt: attempt, "")
        output.usage = AttemptUsage(processorMicroseconds: seconds * 1_000_000, peakMemory: memory)
        return .output(OperationID(1, index), output)
    }

    @Test(
        "Sums are of all attempts, and operations that never ran or did not finish are left out",
        arguments: StoreKind.engines
    )
    func sums(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let waiting = OperationRecord(id: OperationID(1, 3), state: .ready)
        try test.store.commit([
            .job(JobRecord(1, (0..<6).map { _ in Entry() })), ran(0, on: "w1", ready: 0, from: 2, to: 5),
            ran(1, on: "w2", ready: 1, from: 1, to: 11), ran(2, on: "w1", ready: 1, from: 9, to: 10),
            .operation(waiting), .operation(.finished(1, 4, .skipped)), .attempt(OperationID(1, 2), .failed(1)),
            used(0, seconds: 2, memory: 50), used(1, seconds: 9, memory: 70),
            used(2, attempt: 1, seconds: 1, memory: 60),
            used(2, attempt: 2, seconds: 1, memory: 10),
        ])
        let summary = try test.store.runSummary(of: JobNumber(1))
        #expect(summary.operations == 3)
        #expect(summary.earlierAttempts == 1)
        #expect(summary.workers["w1"] == RunSummary.WorkerPart(attempts: 3, busy: 5_000_000))
        #expect(summary.workers["w2"] == RunSummary.WorkerPart(attempts: 1, busy: 10_000_000))
        #expect(summary.busy == 15_000_000)
        #expect(summary.waiting == 10_000_000)
        #expect(summary.longestWait == RunSummary.Extreme(operation: OperationID(1, 2), value: 8_000_000))
        #expect(summary.slowest.map(\.operation.index) == [1, 0, 2])
        #expect(summary.measuredAttempts == 4)
        #expect(summary.processorMicroseconds == 13_000_000)
        #expect(summary.peakMemory == RunSummary.Extreme(operation: OperationID(1, 1), value: 70))
        #expect(try test.store.usages(of: OperationID(1, 2)).keys.sorted() == [1, 2])
        #expect(try test.store.runSummary(of: JobNumber(2)) == RunSummary())
        #expect(try test.store.output(of: OperationID(1, 0), attempt: nil) == nil, "a use of resources is no output")
    }

    @Test("Amounts that no process used add up to no more than the largest number", arguments: StoreKind.engines)
    func extremes(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        var changes: [RecordChange] = [.job(JobRecord(1, (0..<4).map { _ in Entry() }))]
        for index in UInt32(0)..<4 {
            changes.append(used(index, seconds: Int64.max / 1_000_000, memory: .max))
            changes.append(ran(index, on: "w", ready: 0, from: 0, to: 1000))
        }
        try test.store.commit(changes)
        let summary = try test.store.runSummary(of: JobNumber(1))
        #expect(summary.busy == 4_000_000_000)
        #expect(summary.processorMicroseconds > .max / 2)
        #expect(summary.peakMemory?.value == .max)
    }

    @Test(
        "The critical path goes back from the last end to the dependency that ended last, across arrays and jobs",
        arguments: StoreKind.engines
    )
    func path(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let array = Entry(name: "parts", array: .lines(["a", "b", "c"]))
        let other = Dependency(on: .existing(.job(JobNumber(1))))
        let jobs = [
            JobRecord(1, [Entry(), Entry()]),
            JobRecord(
                2,
                [
                    Entry(dependencies: [other]), Entry(), array,
                    Entry(dependencies: [Dependency(on: .entry(2)), Dependency(on: .entry(1))]), Entry(),
                ]
            ),
        ]
        func element(_ index: UInt32, _ start: Int64, _ end: Int64) -> RecordChange {
            ran(index, on: "w", ready: start, from: start, to: end, of: 2)
        }
        var skipped = OperationRecord.finished(2, 6, .skipped)
        skipped.finishedAt = .at(99)
        try test.store.commit(jobs.map { .job($0) })
        try test.store.commit([
            .dependencies(OperationID(2, 3), [Dependency(on: .existing(.operation(OperationID(2, 0))))]),
            ran(0, on: "w", ready: 0, from: 0, to: 3), ran(1, on: "w", ready: 0, from: 0, to: 4), element(0, 5, 6),
            element(1, 0, 9),
            element(2, 1, 8), element(3, 7, 10), element(4, 2, 5), element(5, 11, 12),
            // What never ran ends no path.
            .operation(skipped),
        ])
        let path = try test.store.criticalPath(of: JobNumber(2))
        #expect(
            path.steps.map(\.operation) == [OperationID(1, 1), OperationID(2, 0), OperationID(2, 3), OperationID(2, 5)]
        )
        #expect(path.steps.map(\.finishedAt) == [.at(4), .at(6), .at(10), .at(12)])
        #expect(!path.isCut)
        #expect(try test.store.criticalPath(of: JobNumber(3)) == CriticalPath())
    }

    @Test("A long critical path keeps its last steps, and says that there were more", arguments: StoreKind.engines)
    func longPath(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let count = UInt32(CriticalPath.mostSteps) + 5
        let entries = (0..<count).map { index in
            Entry(dependencies: index == 0 ? [] : [Dependency(on: .entry(Int(index) - 1))])
        }
        try test.store.commit([.job(JobRecord(1, entries))])
        try test.store.commit(
            (0..<count).map { ran($0, on: "w", ready: Int64($0), from: Int64($0), to: Int64($0) + 1) }
        )
        let path = try test.store.criticalPath(of: JobNumber(1))
        #expect(path.isCut)
        #expect(path.steps.map(\.operation.index) == Array(5..<count))
    }

    /// An operation that was skipped.
    private func skipped(_ index: UInt32, for ending: Ending, at time: Int64, of job: UInt32 = 1) -> RecordChange {
        var record = OperationRecord.finished(job, index, .skipped)
        (record.skippedFor, record.finishedAt) = (ending, .at(time))
        if ending == .notNeeded { record.reason = Reason(.notNeeded, "") }
        return .operation(record)
    }

    /// The critical path of a job with entries and a history, as indices.
    private func path(_ entries: [Entry], _ changes: [RecordChange]) throws -> [UInt32] {
        let test = try TestStore()
        try test.store.commit([.job(JobRecord(1, entries))])
        try test.store.commit(changes)
        return try test.store.criticalPath(of: JobNumber(1)).steps.map(\.operation.index)
    }

    @Test("Before an operation that was skipped for a failure comes what failed, whenever other dependencies end")
    func pathThroughSkipped() throws {
        // 0 fails at 4; 1 and 2 end before, with, or after it; 3 needs all of them, 4 needs 3, and 5 runs after 4.
        for (first, second) in [(1, 9), (9, 1), (2, 3), (4, 4), (4, 5), (8, 9), (5, 3)] as [(Int64, Int64)] {
            for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0]] {
                let entries = [
                    Entry(), Entry(), Entry(),
                    Entry(dependencies: order.map { Dependency(on: .entry($0), condition: .success) }),
                    Entry(dependencies: [Dependency(on: .entry(3), condition: .success)]),
                    Entry(dependencies: [Dependency(on: .entry(4))]),
                ]
                let root = OperationID(1, 0)
                let changes = [
                    ran(0, on: "w", ready: 0, from: 0, to: 4), ran(1, on: "w", ready: 0, from: 0, to: first),
                    ran(2, on: "w", ready: 0, from: 0, to: second), skipped(3, for: .failed(root), at: 4),
                    skipped(4, for: .failed(root), at: 4), ran(5, on: "w", ready: 4, from: 4, to: 20),
                ]
                #expect(try path(entries, changes) == [0, 4, 5], "\(first) \(second) \(order)")
            }
        }
    }

    @Test("Before an operation that was skipped otherwise comes the last end up to then, and of equal ones the root's")
    func pathThroughUnneeded() throws {
        let entries = [
            Entry(), Entry(), Entry(),
            Entry(dependencies: (0..<3).map { Dependency(on: .entry($0), condition: .failure) }),
            Entry(dependencies: [Dependency(on: .entry(3))]),
        ]
        let cases: [(ends: [Int64], ending: Ending, at: Int64, before: UInt32)] = [
            ([1, 2, 3], .notNeeded, 3, 2), ([3, 1, 2], .notNeeded, 3, 0), ([1, 5, 9], .notNeeded, 5, 1),
            ([1, 5, 9], .notNeeded, 4, 0), ([1, 4, 2], .cancelled(OperationID(1, 0)), 4, 1),
            ([2, 2, 2], .cancelled(OperationID(1, 2)), 2, 2), ([2, 2, 2], .cancelled(OperationID(1, 1)), 2, 1),
            ([7, 2, 8], .cancelled(OperationID(1, 1)), 2, 1),
            // The record of the root is gone, as with the root's job.
            ([1, 2, 9], .failed(OperationID(9, 0)), 3, 1),
        ]
        for (ends, ending, time, before) in cases {
            let dependencies = ends.enumerated().map { ran(UInt32($0), on: "w", ready: 0, from: 0, to: $1) }
            let rest = [skipped(3, for: ending, at: time), ran(4, on: "w", ready: time, from: time, to: 20)]
            #expect(try path(entries, dependencies + rest) == [before, 3, 4], "\(ends) \(ending) \(time)")
        }
    }

    @Test("No operation of the path ends after the next one became ready, in arrays too")
    func pathInOrder() throws {
        let entries = [
            Entry(array: .numbers(first: 0, step: 1, count: 4)),
            Entry(dependencies: [Dependency(on: .entry(0))]), Entry(dependencies: [Dependency(on: .entry(1))]),
        ]
        // 4 was cancelled before it started, while elements of the array were running.
        for (ends, expected) in [([1, 6, 9, 2], 3), ([2, 1, 3, 7], 2), ([5, 3, 1, 9], 1)] as [([Int64], UInt32)] {
            var cancelled = OperationRecord.finished(1, 4, .cancelled)
            cancelled.finishedAt = .at(4)
            let elements = ends.enumerated().map { ran(UInt32($0), on: "w", ready: 0, from: 0, to: $1) }
            let changes = elements + [.operation(cancelled), ran(5, on: "w", ready: 4, from: 6, to: 20)]
            #expect(try path(entries, changes) == [expected, 4, 5], "\(ends)")
        }
    }
}
