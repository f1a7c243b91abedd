import BatonChaosChecks

/// A run in which everything went well, for tests to change: job 1 has three operations, of which the second needs the first,
/// and the third comes after the second; a worker was killed under the first.
struct Story {
    var evidence = Evidence()
    /// Its steps; a test changes, removes or adds some.
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

    /// What the checks say of it.
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

    /// It ends.
    static func end(_ index: Int, attempt: Int = 1, status: Int = 0) -> JournalEntry {
        .ended(
            OperationAddress(job: 1, index: index),
            attempt: attempt,
            process: 100 + 10 * index + attempt,
            status: status
        )
    }

    /// Puts an entry before another one.
    mutating func insert(_ entries: JournalEntry..., before other: JournalEntry) {
        journal.insert(contentsOf: entries, at: journal.firstIndex(of: other) ?? journal.endIndex)
    }

    /// Takes an entry out.
    mutating func remove(_ entry: JournalEntry) { journal.removeAll { $0 == entry } }

    /// What Baton shows of an operation of job 1.
    subscript(index: Int) -> ShownOperation {
        get { evidence.jobs[0].operations[index] }
        set { evidence.jobs[0].operations[index] = newValue }
    }

    /// What was planned for an operation of job 1.
    subscript(planned index: Int) -> PlannedOperation {
        get { evidence.submitted[0].operations[index] }
        set { evidence.submitted[0].operations[index] = newValue }
    }
}
