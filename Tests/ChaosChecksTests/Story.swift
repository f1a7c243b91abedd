@_spi(Baton) import BatonChaosChecks

/// A good run, for tests to change.
///
/// Job 1 has three operations: the second needs the first, and the third comes after the second. A worker was killed
/// while the first was running.
struct Story {
    var evidence = Evidence()
    /// The steps of the run; a test changes, removes or adds some.
    var journal: [JournalEntry] = [
        .born(process: 10, name: "w-10"),
        .born(process: 11, name: "w-11"),
        start(0, attempt: 1, worker: 10),
        .killing(process: 10),
        .gone(process: 10),
        start(0, attempt: 2, worker: 11),
        end(0, attempt: 2),
        start(1, worker: 11),
        end(1),
        start(2, worker: 11),
        end(2),
        .waited(job: 1),
    ]

    init() {
        var plan = PlannedJob(
            name: "story",
            operations: [
                PlannedOperation(queue: "q"),
                PlannedOperation(queue: "q", dependencies: [(0, .needs)]),
                PlannedOperation(queue: "q", dependencies: [(1, .after)]),
            ]
        )
        plan.acknowledged = [1]
        evidence.submitted = [plan]
        evidence.limits = ["q": 1]
        evidence.slots = 1
        evidence.jobs = [
            ShownJob(
                job: 1,
                name: "story",
                operations: [
                    ShownOperation(outcome: "succeeded", attempt: 2, losses: 1), ShownOperation(outcome: "succeeded"),
                    ShownOperation(outcome: "succeeded"),
                ]
            )
        ]
    }

    /// The violations that the checks find.
    var violations: [String] {
        var evidence = evidence
        evidence.journal = Journal(journal)
        return evidence.violations()
    }

    /// An operation of job 1 starts, in a process that is unique to the attempt.
    static func start(_ index: Int, attempt: Int = 1, worker: Int) -> JournalEntry {
        .started(
            OperationAddress(job: 1, index: index),
            attempt: attempt,
            process: 100 + 10 * index + attempt,
            worker: worker
        )
    }

    /// An operation of job 1 ends.
    static func end(_ index: Int, attempt: Int = 1, status: Int = 0) -> JournalEntry {
        .ended(
            OperationAddress(job: 1, index: index),
            attempt: attempt,
            process: 100 + 10 * index + attempt,
            status: status
        )
    }

    /// Inserts entries before another entry.
    mutating func insert(_ entries: JournalEntry..., before other: JournalEntry) {
        journal.insert(contentsOf: entries, at: journal.firstIndex(of: other) ?? journal.endIndex)
    }

    /// Removes an entry.
    mutating func remove(_ entry: JournalEntry) { journal.removeAll { $0 == entry } }

    /// The final state of an operation of job 1.
    subscript(index: Int) -> ShownOperation {
        get { evidence.jobs[0].operations[index] }
        set { evidence.jobs[0].operations[index] = newValue }
    }

    /// The plan of an operation of job 1.
    subscript(planned index: Int) -> PlannedOperation {
        get { evidence.submitted[0].operations[index] }
        set { evidence.submitted[0].operations[index] = newValue }
    }
}
