@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
import BatonTestRecords
import Testing

/// What every store must do, on every disk.
@Suite("The contract of every store", .timeLimit(.minutes(60)))
struct StoreContractTests {
    @Test("A new store has no jobs, the first epoch and the first job number", arguments: StoreKind.allCases)
    func startsEmpty(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        #expect(test.state.epoch == 1)
        #expect(test.state.nextJob == JobNumber(1))
        #expect(test.state.queues.isEmpty && test.state.jobs.isEmpty && test.state.dependencyEnds.isEmpty)
        #expect(test.state.finished == JobCounts())
        #expect(try test.store.jobs(before: nil, limit: 10).isEmpty)
        #expect(try test.store.job(JobNumber(1)) == nil)
        #expect(try test.store.operations(of: JobNumber(1), from: 0, limit: 10).isEmpty)
    }

    @Test("A store raises its epoch at each start", arguments: StoreKind.allCases)
    func raisesTheEpoch(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        for epoch in UInt32(2)...4 {
            try test.restart()
            #expect(test.state.epoch == epoch)
        }
    }

    @Test("A restart restores random unfinished jobs exactly as they were submitted", arguments: StoreKind.allCases)
    func givesSubmissionsBack(_ kind: StoreKind) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix(seed: seed)
        let test = try TestStore(kind)
        let jobs = (1...60).map { number in
            JobRecord(
                number: JobNumber(number),
                submittedAt: random.time(),
                order: UInt64(number) << 32,
                submission: random.submission(number: number)
            )
        }
        try test.store.commit(jobs.map { .job($0) })
        try test.restart()
        #expect(test.state.jobs.map(\.job) == jobs, "seed \(seed)")
        #expect(test.state.nextJob == JobNumber(61))
    }

    @Test(
        "A restart restores unfinished jobs with their records, and the totals of finished jobs",
        arguments: StoreKind.allCases
    )
    func restoresWhatIsUnfinished(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let first = JobRecord(1, [Entry(name: "a"), Entry(name: "b")])
        let second = JobRecord(2, [Entry(), Entry(dependencies: [Dependency(on: .existing(.job(JobNumber(1))))])])
        var executing = OperationRecord(id: OperationID(2, 0), state: .executing)
        executing.token = RecordToken(epoch: 1, serial: 7)
        try test.store.commit([.job(first), .job(second), .operation(executing)])
        try test.store.commit([.operation(.finished(1, 0)), .operation(.finished(1, 1, .failed))])
        let counts = JobCounts(succeeded: 1, failed: 1)
        let end = RecordChange.jobFinished(JobNumber(1), counts, .at(9), root: OperationID(1, 1))
        try test.store.commit([end, .jobFinished(JobNumber(1), counts, .at(10))])
        try test.restart()
        #expect(test.state.jobs == [RestoredJob(job: second, records: [executing])])
        #expect(test.state.finished == counts)
        #expect(test.state.nextJob == JobNumber(3))
        let dependencyEnd = DependencyEnd(.failed(OperationID(1, 1)))
        #expect(test.state.dependencyEnds == [.job(JobNumber(1)): dependencyEnd])
        #expect(test.state.dependencyTimes == [.job(JobNumber(1)): .at(9)])
        #expect(try test.store.job(JobNumber(1))?.finishedAt == .at(9))
    }

    @Test(
        "A restart restores when operations, arrays and jobs finished that unfinished operations of other jobs depend on",
        arguments: StoreKind.allCases
    )
    func restoresTimesOfEnds(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let array = Entry(name: "array", array: .numbers(first: 0, step: 1, count: 3))
        let targets: [Address] = [
            .operation(OperationID(1, 1)), .operation(OperationID(1, 2)), .named(JobNumber(1), "array"),
            .job(JobNumber(1)),
            .operation(OperationID(2, 0)),
        ]
        let dependent = Entry(dependencies: targets.map { Dependency(on: .existing($0)) })
        try test.store.commit([
            .job(JobRecord(1, [array, Entry()])), .job(JobRecord(2, [Entry(), Entry()])),
            .job(JobRecord(3, [dependent])),
        ])
        func finished(_ job: UInt32, _ index: UInt32, count: UInt32 = 1, at seconds: Int64) -> RecordChange {
            var record = OperationRecord(id: OperationID(job, index), count: count, state: .finished)
            (record.outcome, record.finishedAt) = (.cancelled, .at(seconds))
            return .operation(record)
        }
        try test.store.commit([
            finished(1, 0, at: 8), finished(1, 1, count: 2, at: 5), finished(1, 3, at: 9), finished(2, 0, at: 4),
            .jobFinished(JobNumber(1), JobCounts(cancelled: 4), .at(10)),
        ])
        try test.restart()
        let times = targets.map { test.state.dependencyTimes[$0] }
        #expect(times == [.at(5), .at(5), .at(8), .at(10), .at(4)])
    }

    @Test("D10 A store keeps that an empty job was cancelled, and tells its dependents", arguments: StoreKind.allCases)
    func keepsCancellation(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let dependent = JobRecord(2, [Entry(dependencies: [Dependency(on: .existing(.job(JobNumber(1))))])])
        var counts = JobCounts()
        counts.isCancelled = true
        let event = ClusterEvent(sequence: 1, time: .at(9), subject: .jobFinished(JobNumber(1), counts))
        try test.store.commit([.job(JobRecord(1, [])), .job(dependent)])
        try test.store.commit([.jobFinished(JobNumber(1), counts, .at(9)), .event(event)])
        try test.restart()
        #expect(test.state.finished == JobCounts())
        #expect(test.state.dependencyEnds == [.job(JobNumber(1)): DependencyEnd(.cancelled(OperationID(1, 0)))])
        #expect(try test.store.job(JobNumber(1))?.counts == counts)
    }

    @Test("A store keeps each queue's last settings and progress over a restart", arguments: StoreKind.allCases)
    func keepsQueues(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let plain = QueueRecord()
        let first = QueueRecord(settings: QueueSettings(maxConcurrent: 3, total: 9), completed: 4)
        try test.store.commit([.queue("images", first), .queue("plain", plain)])
        let settings = QueueSettings(maxConcurrent: 0, qualityOfService: .utility, isSuspended: true, total: 100)
        let changed = QueueRecord(settings: settings, completed: 5)
        try test.store.commit([.queue("images", changed)])
        try test.restart()
        #expect(test.state.queues == ["images": changed, "plain": plain])
        try test.store.commit([.queue("images", plain)])
        try test.restart()
        #expect(test.state.queues == ["images": plain, "plain": plain])
        try test.store.commit([.queueDeleted("images"), .queueDeleted("plain"), .queue("plain", changed)])
        try test.restart()
        #expect(test.state.queues == ["plain": changed])
    }

    @Test("A store keeps the limits that several queues share over a restart", arguments: StoreKind.allCases)
    func keepsLimits(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        #expect(test.state.limits.isEmpty)
        try test.store.commit([
            .limit(LimitChange("licence", units: 3)), .limit(LimitChange("disk", units: 0)),
            .limit(LimitChange("gone", units: 1)), .limit(LimitChange("gone", units: nil)),
        ])
        try test.restart()
        #expect(test.state.limits == ["licence": 3, "disk": 0])
        try test.store.commit([
            .limit(LimitChange("licence", units: 2)), .limit(LimitChange("disk", units: nil)),
            .limit(LimitChange("stranger", units: nil)),
        ])
        try test.restart()
        #expect(test.state.limits == ["licence": 2])
    }

    @Test("A store keeps the workers that have a session over a restart", arguments: StoreKind.allCases)
    func keepsWorkers(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        #expect(test.state.workers.isEmpty)
        let first = WorkerRecord(id: WorkerID(rawValue: 7), life: WorkerLife(rawValue: .max), keyNumber: .max)
        try test.store.commit(["w1", "w2", "w3", "w1"].map { .worker($0, first) })
        try test.store.commit(["w2", "stranger"].map { .worker($0, nil) })
        try test.restart()
        #expect(test.state.workers == ["w1": first, "w3": first])
        let other = WorkerRecord(id: WorkerID(rawValue: .max), life: WorkerLife(rawValue: 7))
        try test.store.commit([.worker("w1", nil), .worker("w1", other), .worker("w3", other)])
        try test.restart()
        #expect(test.state.workers == ["w1": other, "w3": other])
    }

    @Test(
        "D12 A store keeps the incarnation of each start and the number of its first job",
        arguments: StoreKind.allCases
    )
    func keepsStarts(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let first = try #require(test.state.starts[1])
        #expect(test.state.starts.count == 1 && first.incarnation != .unknown && first.firstJob == JobNumber(1))
        let submission = Submission(templates: [Template(work: Work(.noOperation))], entries: [Entry()])
        try test.store.commit([
            .job(JobRecord(number: JobNumber(7), submittedAt: .at(1), order: 1, submission: submission))
        ])
        try test.restart()
        let second = try #require(test.state.starts[2])
        #expect(test.state.starts.count == 2 && test.state.starts[1] == first)
        #expect(second.incarnation != first.incarnation && second.firstJob == JobNumber(8))
        let third = try test.store.open(as: Incarnation(rawValue: .max)).starts[3]
        #expect(third == CoordinatorStart(Incarnation(rawValue: .max), firstJob: JobNumber(8)))
    }

    @Test("A store keeps the last record of an operation", arguments: StoreKind.allCases)
    func keepsTheLastRecord(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        var record = OperationRecord(id: OperationID(1, 0), state: .executing)
        record.attempt = 1
        try test.store.commit([.job(JobRecord(1, [Entry()])), .operation(record)])
        record.state = .pending
        record.notBefore = .at(50)
        let waiting = record
        record.state = .executing
        record.attempt = 2
        record.notBefore = nil
        try test.store.commit([.operation(waiting), .operation(record)])
        #expect(try test.store.operations(of: JobNumber(1), from: 0, limit: 1).map(\.record) == [record])
        try test.store.commit([.operation(waiting)])
        try test.restart()
        #expect(test.state.jobs.first?.records == [waiting])
    }

    @Test("A store splits a recorded block of elements when some of them change", arguments: StoreKind.allCases)
    func splitsBlocks(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let array = Entry(array: .numbers(first: 10, step: 5, count: 1_000_000))
        let ready = OperationRecord(id: OperationID(1, 0), count: 1_000_000, state: .ready)
        let executing = OperationRecord(id: OperationID(1, 4), state: .executing)
        let cancelled = OperationRecord.finished(1, 5, count: 999_995, .cancelled)
        try test.store.commit([.job(JobRecord(1, [array])), .operation(ready), .operation(executing)])
        try test.store.commit([.operation(cancelled)])
        let page = try test.store.operations(of: JobNumber(1), from: 3, limit: 3)
        #expect(page.map(\.record.id.index) == [3, 4, 5])
        #expect(page.map(\.record.count) == [1, 1, 1])
        #expect(page.map(\.record.state) == [.ready, .executing, .finished])
        #expect(page.map(\.arrayItem) == ["25", "30", "35"])
        try test.restart()
        var start = ready
        start.count = 4
        #expect(test.state.jobs.first?.records == [start, executing, cancelled])
    }

    @Test("A restart finds the last of all random changes in the record", arguments: 0..<12, StoreKind.engines)
    func keepsRandomChanges(_ run: Int, _ kind: StoreKind) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix(seed: seed)
        let test = try TestStore(kind)
        var ledger = Ledger()
        func commit(_ changes: [RecordChange]) throws {
            ledger.begin(changes)
            try test.store.commit(changes)
            ledger.noteTransaction(of: 1)
        }
        var nextEvent: UInt64 = 1
        for number in UInt32(1)...4 {
            let job = JobRecord(
                number: JobNumber(number),
                submittedAt: .at(1),
                order: UInt64(number) << 32,
                submission: random.submission(number: number)
            )
            try commit([.job(job)])
            var finished: Set<UInt32> = []
            for _ in 0..<30 {
                let changes = randomChanges(of: job, &nextEvent, &random).compactMap { change -> RecordChange? in
                    guard case .operation(var record) = change else { return change }
                    // What is finished stays as it is, and only that has an end.
                    let range = record.id.index...record.lastIndex
                    guard finished.isDisjoint(with: range) else { return nil }
                    if record.state == .finished { finished.formUnion(range) } else { record.finishedAt = nil }
                    return .operation(record)
                }
                try commit(changes)
            }
            let operations = try test.store.operations(of: job.number, from: 0, limit: .max)
            for _ in 0..<9 {
                let index = UInt32.random(in: 0...UInt32(operations.count) + 2, using: &random)
                let limit = Int.random(in: 0...300, using: &random)
                let page = try test.store.operations(of: job.number, from: index, limit: limit)
                #expect(page == Array(operations.dropFirst(Int(index)).prefix(limit)), "seed \(seed)")
            }
            if random.chance(30) {
                let counts = JobCounts(succeeded: job.submission.operationCount)
                try commit([.jobFinished(JobNumber(number), counts, .at(5))])
            }
            try test.restart()
            let found = try Ledger.Rows(test.store, test.state, expecting: ledger.possibleKeys)
            #expect(ledger.check(found, keeping: 1_000_000).isEmpty, "seed \(seed)")
            #expect(test.state.nextEvent == nextEvent, "seed \(seed)")
        }
        for _ in 0..<20 {
            let events = ledger.committed.events
            let after = UInt64.random(in: 0...nextEvent + 3, using: &random)
            let expected = events.drop { $0.sequence + $0.count - 1 <= after }
            #expect(try test.store.events(after: after, limit: .max) == Array(expected), "seed \(seed)")
            let some = try test.store.events(after: after, limit: .random(in: -1...500, using: &random))
            #expect(expected.starts(with: some), "seed \(seed)")
        }
    }

    /// Random changes of a job and of other rows.
    private func randomChanges(
        of job: JobRecord,
        _ nextEvent: inout UInt64,
        _ random: inout SplitMix
    ) -> [RecordChange] {
        let number = job.number.rawValue
        let operations = job.submission.operationCount
        var changes: [RecordChange] = (0..<Int.random(in: 0...8, using: &random)).map { _ in
            .operation(random.record(job: number, operations: operations))
        }
        let index = UInt32.random(in: 0..<UInt32(operations), using: &random)
        let id = OperationID(number, index)
        if random.chance(30) {
            let attempt = UInt32.random(in: 1...3, using: &random)
            let result = random.maybe { $0.text() }
            var output = AttemptOutput(attempt: attempt, random.chance(50) ? random.text() : "", result: result)
            output.usage = random.maybe { random in
                AttemptUsage(
                    processorMicroseconds: .random(in: 0...1_000_000_000, using: &random),
                    peakMemory: .random(in: 0...1_000_000_000, using: &random)
                )
            }
            changes.append(.output(id, output))
        }
        if random.chance(30) {
            let attempt = UInt32.random(in: 1...50, using: &random)
            changes.append(.attempt(OperationID(number, index % 2), random.attempt(attempt)))
        }
        if random.chance(30) {
            let entries = job.submission.entries.count
            changes.append(.dependencies(id, random.dependencies(job: number, entries: entries)))
        }
        if random.chance(30) { changes.append(.commands(id, random.commands())) }
        if random.chance(30), let hook = random.hook(of: job, index) { changes.append(.hook(hook)) }
        if random.chance(20) { changes.append(.hookDone(id, .succeeded)) }
        if random.chance(30) {
            changes.append(.files(id, attempt: .random(in: 0...9, using: &random), random.files()))
        }
        if random.chance(20) {
            changes.append(
                .worker(
                    "w\(id.index % 3)",
                    random.maybe { random in
                        WorkerRecord(
                            id: WorkerID(rawValue: random.next()),
                            life: WorkerLife(rawValue: random.next()),
                            keyNumber: random.chance(50) ? UInt32.random(in: 1...9, using: &random) : nil
                        )
                    }
                )
            )
        }
        if random.chance(10) { changes.append(.missingAttempts(JobNumber(number))) }
        if random.chance(20) {
            let queue = QueueRecord(settings: random.queueSettings(), completed: .random(in: 0...99, using: &random))
            changes.append(.queue(random.name(1), queue))
        }
        if random.chance(10) { changes.append(.queueDeleted(random.name(1))) }
        for _ in 0..<Int.random(in: 0...2, using: &random) where random.chance(30) {
            changes.insert(.totals(random.totals()), at: .random(in: 0...changes.count, using: &random))
        }
        for _ in 0..<Int.random(in: 0...9, using: &random) {
            let event = random.event(nextEvent)
            nextEvent += event.count
            changes.insert(.event(event), at: .random(in: 0...changes.count, using: &random))
        }
        // The events were inserted at random positions, but have to be in order among each other.
        let events = changes.filter(\.isEvent).sorted { $0.sequence < $1.sequence }
        var rest = events[...]
        return changes.map { change in change.isEvent ? rest.removeFirst() : change }
    }
}

extension RecordChange {
    fileprivate var isEvent: Bool {
        if case .event = self { true } else { false }
    }

    /// The number of an event; 0 for anything else.
    fileprivate var sequence: UInt64 {
        if case .event(let event) = self { event.sequence } else { 0 }
    }
}
