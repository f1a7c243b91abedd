@_spi(Baton) import BatonOperations

/// The deadlines of a job that has any (SC5).
struct JobDeadlines: Sendable {
    /// A moment at which unfinished operations of the job end.
    struct Deadline: Hashable, Sendable {
        /// The moment.
        var moment: Timestamp
        /// The entries among which are those of the operations.
        var entries: Range<Int>
        /// The option of the operations; nil for the deadline of the job, which is that of all its operations.
        var option: Duration?
    }

    /// The deadlines that have not come, in no order: a job has few.
    private var coming: [Deadline] = []
    /// The deadlines that have come while it was not known what had started, after a restart.
    private(set) var passed: [Deadline] = []

    /// The moments that are still to come, each once.
    var moments: Set<Timestamp> { Set(coming.map(\.moment)) }

    /// Whether there is one for the whole job.
    var isOfWholeJob: Bool { coming.contains { $0.option == nil } || passed.contains { $0.option == nil } }

    /// Whether there is one for an entry with an option.
    func contains(_ option: Duration, ofEntry entry: Int) -> Bool {
        (coming + passed).contains { $0.option == option && $0.entries.contains(entry) }
    }

    /// Adds a deadline.
    ///
    /// - Returns: whether no other deadline comes at its moment.
    mutating func add(_ deadline: Deadline) -> Bool {
        let isFirst = !coming.contains { $0.moment == deadline.moment }
        coming.append(deadline)
        return isFirst
    }

    /// Notes that a moment has come.
    mutating func pass(_ moment: Timestamp) {
        passed += coming.filter { $0.moment == moment }
        coming.removeAll { $0.moment == moment }
    }

    /// Takes the deadlines that have come.
    mutating func takePassed() -> [Deadline] {
        defer { passed = [] }
        return passed
    }
}
