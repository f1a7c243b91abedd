@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonStore

/// Tests that every store knows operations with changes after their submission.
@Suite("Changed operations in every store", .timeLimit(.minutes(60)))
struct ChangedOperationTests {
    private func operation(_ test: TestStore, _ job: UInt32, _ index: UInt32) throws -> StoredOperation {
        try #require(try test.store.operations(of: JobNumber(job), from: index, limit: 1).first)
    }

    private func stored(
        _ job: UInt32,
        _ index: UInt32,
        count: UInt32 = 1,
        _ condition: DependencyCondition = .any
    )
        -> StoredDependency
    {
        StoredDependency(target: .operation(OperationID(job, index)), count: count, condition: condition)
    }

    // MARK: Commands

    @Test(
        "BL2 A store returns the commands that were recorded last for an operation or one element of an array",
        arguments: StoreKind.engines
    )
    func replacesCommands(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let array = Entry(array: .numbers(first: 0, step: 1, count: 3))
        let jobs = [JobRecord(1, [Entry()]), JobRecord(2, [Entry(), array])]
        try test.store.commit(jobs.map { .job($0) })
        let submitted = try operation(test, 2, 0).template.work
        let first = [["true"], ["echo", "\"ä\n"]]
        let second = first + [["a", "", "b"]]
        try test.store.commit([
            .commands(OperationID(2, 2), first), .commands(OperationID(2, 2), second),
            .commands(OperationID(1, 0), first),
        ])
        for _ in 0..<2 {
            let page = try test.store.operations(of: JobNumber(2), from: 0, limit: 10)
            #expect(
                page.map(\.template.work.kind) == [submitted.kind, submitted.kind, .commands(second), submitted.kind]
            )
            #expect(page.allSatisfy { $0.template.work.gracePeriod == submitted.gracePeriod })
            #expect(try operation(test, 1, 0).template.work.kind == .commands(first))
            try test.restart()
            #expect(test.state.jobs.map(\.commands) == [[0: first], [2: second]])
            #expect(try test.store.restoredJob(JobNumber(2))?.commands == [2: second])
        }
    }

    // MARK: Dependencies

    @Test(
        "A store returns the dependencies that were recorded last for an operation or one element of an array",
        arguments: StoreKind.engines
    )
    func replacesDependencies(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let array = Entry(
            name: "many",
            dependencies: [Dependency(on: .entry(0))],
            array: .numbers(first: 0, step: 1, count: 3)
        )
        let last = Entry(name: "last", dependencies: [Dependency(on: .entry(1), condition: .success)])
        let job = JobRecord(2, [Entry(name: "first"), array, last])
        try test.store.commit([.job(JobRecord(1, [Entry(), Entry()])), .job(job)])
        let foreign = Dependency(on: .existing(.operation(OperationID(1, 1))), condition: .failure)
        let whole = Dependency(on: .existing(.job(JobNumber(1))))
        let element = Dependency(on: .existing(.operation(OperationID(2, 3))))
        try test.store.commit([
            .dependencies(OperationID(2, 4), [foreign]), .dependencies(OperationID(2, 2), []),
            .dependencies(
                OperationID(2, 4),
                [Dependency(on: .entry(1), condition: .success), foreign, whole, element]
            ),
            .dependencies(OperationID(1, 1), [Dependency(on: .entry(0))]),
        ])
        for _ in 0..<2 {
            #expect(try operation(test, 2, 1).dependencies == [stored(2, 0)])
            #expect(try operation(test, 2, 2).dependencies == [])
            #expect(try operation(test, 2, 3).dependencies == [stored(2, 0)])
            #expect(
                try operation(test, 2, 4).dependencies == [
                    stored(2, 1, count: 3, .success), stored(1, 1, .failure),
                    StoredDependency(target: .job(JobNumber(1)), count: 0, condition: .any), stored(2, 3),
                ]
            )
            #expect(try operation(test, 1, 1).dependencies == [stored(1, 0)])
            let page = try test.store.operations(of: JobNumber(2), from: 0, limit: 10)
            #expect(page.map(\.dependencies.count) == [0, 1, 0, 1, 4])
            try test.restart()
            #expect(test.state.jobs.map(\.job) == [JobRecord(1, [Entry(), Entry()]), job])
            #expect(
                test.state.jobs.map(\.dependencies) == [
                    [1: [Dependency(on: .entry(0))]],
                    [2: [], 4: [Dependency(on: .entry(1), condition: .success), foreign, whole, element]],
                ]
            )
        }
    }

    @Test(
        "DE20 A start restores the outcomes of changed dependencies, and an operation's inputs come from these",
        arguments: StoreKind.engines
    )
    func followsChangedDependencies(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let left = Dependency(on: .existing(.operation(OperationID(1, 0))))
        let dependent = Entry(dependencies: [Dependency(on: .existing(.operation(OperationID(1, 1))))])
        try test.store.commit([
            .job(JobRecord(1, [Entry(name: "a"), Entry(name: "b"), Entry(name: "c")])),
            .job(JobRecord(2, [dependent, Entry(name: "x"), dependent])),
        ])
        for index in UInt32(0)..<3 { try test.store.commit([.operation(.finished(1, index, hasResult: true))]) }
        try test.store.commit([
            .operation(.finished(2, 1, hasResult: true)), .jobFinished(JobNumber(1), JobCounts(succeeded: 3), .at(9)),
            .dependencies(OperationID(2, 0), [Dependency(on: .entry(1)), left]),
        ])
        try test.restart()
        let end = DependencyEnd(.succeeded, hasResult: true)
        #expect(test.state.dependencyEnds[.operation(OperationID(1, 0))] == end)
        #expect(test.state.dependencyEnds[.operation(OperationID(1, 1))] == end)
        #expect(test.state.dependencyEnds[.operation(OperationID(1, 2))] == nil)
        let inputs = try test.store.dependenciesWithResults(of: OperationID(2, 0), calledBy: .number)
        #expect(inputs.map(\.fileName) == ["x", "a"])
        let others = try test.store.dependenciesWithResults(of: OperationID(2, 2), calledBy: .number)
        #expect(others.map(\.fileName) == ["b"])
        try test.store.commit([.dependencies(OperationID(2, 0), [])])
        #expect(try test.store.dependenciesWithResults(of: OperationID(2, 0), calledBy: .number).isEmpty)
    }

    @Test("Changed dependencies of several jobs stay apart, also from a job whose commit was rolled back")
    func keepsJobsApart() throws {
        let test = try TestStore()
        func array(_ count: Int) -> Entry { Entry(array: .numbers(first: 0, step: 1, count: count)) }
        try test.store.commit([.job(JobRecord(1, key: "k", [array(7), Entry(), Entry()]))])
        // The second job is rolled back, with its cached lookups; another job gets its number.
        #expect(throws: StoreError.self) {
            try test.store.commit([
                .job(JobRecord(2, [array(50), Entry(), Entry()])),
                .dependencies(OperationID(2, 51), [Dependency(on: .entry(1))]), .job(JobRecord(3, key: "k", [Entry()])),
            ])
        }
        try test.store.commit([.job(JobRecord(2, [array(3), Entry(), Entry()]))])
        for _ in 0..<2 {
            try test.store.commit([.dependencies(OperationID(2, 4), [Dependency(on: .entry(1))])])
            #expect(try operation(test, 2, 4).dependencies == [stored(2, 3)])
            try test.store.commit([.dependencies(OperationID(1, 8), [Dependency(on: .entry(1))])])
            #expect(try operation(test, 1, 8).dependencies == [stored(1, 7)])
        }
        let database = try #require(test.store.database)
        #expect(try database.number("SELECT count(*) FROM operation_dependencies") == 2)
        #expect(throws: StoreError.self) {
            try test.store.commit([.dependencies(OperationID(1, 8), [Dependency(on: .entry(3))])])
        }
    }

    // MARK: Priorities and holds

    @Test(
        "An operation has its recorded priority, and without a record the priority of its submission",
        arguments: StoreKind.engines
    )
    func givesPresentPriorities(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let entry = Entry(priority: .low, array: .numbers(first: 0, step: 1, count: 3))
        var record = OperationRecord(id: OperationID(1, 1), state: .ready)
        record.priorityChange = OperationRecord.PriorityChange(priority: .veryHigh, order: 77)
        try test.store.commit([.job(JobRecord(1, [entry])), .operation(record)])
        try test.restart()
        #expect(test.state.jobs.first?.records == [record])
        let page = try test.store.operations(of: JobNumber(1), from: 0, limit: 3)
        #expect(page.map(\.priority) == [.low, .veryHigh, .low])
        #expect(page[1].record == record)
        record.priorityChange = nil
        try test.store.commit([.operation(record)])
        #expect(try operation(test, 1, 1).priority == .low)
    }

    @Test("The parts of a split block keep their places in the order of their priority", arguments: StoreKind.engines)
    func cutsPriorityChanges(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let array = Entry(array: .numbers(first: 0, step: 1, count: 100))
        var block = OperationRecord(id: OperationID(1, 10), count: 80, state: .ready)
        block.priorityChange = OperationRecord.PriorityChange(priority: .high, order: 1000)
        block.isHeld = true
        let inside = OperationRecord.finished(1, 40)
        let front = OperationRecord.finished(1, 5, count: 10, .cancelled)
        let back = OperationRecord.finished(1, 85, count: 10, .skipped)
        try test.store.commit([.job(JobRecord(1, [array])), .operation(block), .operation(inside)])
        try test.store.commit([.operation(front), .operation(back)])
        func part(_ first: UInt32, _ count: UInt32) -> OperationRecord {
            var part = block
            part.id = OperationID(1, first)
            part.count = count
            part.priorityChange?.order = 1000 + UInt64(first - 10)
            return part
        }
        for _ in 0..<2 {
            let page = try test.store.operations(of: JobNumber(1), from: 0, limit: 100)
            #expect(page[15...39].map(\.record.priorityChange?.order) == (1005...1029).map { $0 })
            #expect(page[41...84].map(\.record.priorityChange?.order) == (1031...1074).map { $0 })
            #expect(page.count { $0.record.priorityChange != nil } == 25 + 44)
            try test.restart()
            #expect(test.state.jobs.first?.records == [front, part(15, 25), inside, part(41, 44), back])
        }
    }

    @Test(
        "DE21 An operation that was submitted held stays held until its record says otherwise",
        arguments: StoreKind.engines
    )
    func knowsHolds(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let array = Entry(isHeld: true, array: .numbers(first: 0, step: 1, count: 4))
        let job = JobRecord(1, [array, Entry(), Entry(isHeld: true, isBarrier: true)])
        var held = OperationRecord(id: OperationID(1, 4))
        held.isHeld = true
        try test.store.commit([
            .job(job), .operation(OperationRecord(id: OperationID(1, 1), count: 2)), .operation(held),
        ])
        try test.restart()
        #expect(test.state.jobs.first?.job == job)
        let page = try test.store.operations(of: JobNumber(1), from: 0, limit: 10)
        #expect(page.map(\.record.isHeld) == [true, false, false, true, true, true])
        #expect(page.map(\.entry.isBarrier) == [false, false, false, false, false, true])
    }

    @Test("RT4 The last attempt of an operation says what the next one may use", arguments: StoreKind.engines)
    func knowsLimits(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        var job = JobRecord(1, [Entry(array: .numbers(first: 0, step: 1, count: 3)), Entry(template: 1)])
        job.submission.templates = [Template(work: Work(.noOperation, memory: 2)), Template(work: Work(.noOperation))]
        job.submission.templates[0].memoryUpTo = 16
        func attempt(_ number: UInt32, _ reason: Reason.Code, memory: Int64?) -> AttemptRecord {
            var attempt = AttemptRecord(
                attempt: number,
                worker: "w1",
                startedAt: .at(1),
                endedAt: .at(2),
                reason: Reason(reason, "It ended.")
            )
            attempt.limits.memory = memory
            return attempt
        }
        let attempts: [(UInt32, AttemptRecord)] = [
            (0, attempt(1, .memory, memory: nil)), (0, attempt(2, .lost, memory: 4)),
            (1, attempt(1, .memory, memory: nil)), (1, attempt(2, .memory, memory: 4)),
            (2, attempt(1, .exit, memory: nil)), (3, attempt(1, .memory, memory: nil)),
        ]
        try test.store.commit([.job(job)] + attempts.map { .attempt(OperationID(1, $0), $1) })
        try test.restart()
        let restored = try #require(test.state.jobs.first)
        #expect(restored.limits == [0: AttemptLimits(memory: 4), 1: AttemptLimits(memory: 8)])
        #expect(try test.store.attempts(of: OperationID(1, 1)).map(\.limits.memory) == [nil, 4])
    }

    // MARK: Whole jobs

    @Test(
        "A store restores a whole job with its records and changed dependencies, unfinished or finished",
        arguments: StoreKind.engines
    )
    func givesWholeJobs(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let picked = Entry(array: .picked([ArrayValues.Element(number: 9, item: "nine")]))
        let job = JobRecord(1, key: "k", onFinish: ["notify"], [Entry(name: "a", isCancelled: true), picked])
        let records = [OperationRecord.finished(1, 0, .cancelled), OperationRecord.finished(1, 1)]
        let changed: [UInt32: [Dependency]] = [1: [Dependency(on: .entry(0))]]
        let expected = RestoredJob(job: job, records: records, dependencies: changed)
        try test.store.commit(
            [.job(job)] + records.map { .operation($0) } + changed.map { .dependencies(OperationID(1, $0), $1) }
        )
        #expect(try test.store.restoredJob(JobNumber(1)) == expected)
        try test.store.commit([.jobFinished(JobNumber(1), JobCounts(succeeded: 1, cancelled: 1), .at(4))])
        try test.restart()
        #expect(test.state.jobs.isEmpty)
        #expect(try test.store.restoredJob(JobNumber(1)) == expected)
        #expect(try test.store.restoredJob(JobNumber(2)) == nil)
        #expect(try operation(test, 1, 0).template.onFinish == ["notify"])
        #expect(try operation(test, 1, 1).arrayNumber == 9 && operation(test, 1, 1).arrayItem == "nine")
    }
}
