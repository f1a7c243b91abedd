/// How far a job is on its way to its maximum of failures.
enum FailureProgress: Hashable, Sendable {
    /// The entries with operations that failed, or were skipped because of a failure; empty without a maximum of failures.
    case counting(Set<Int32>)
    /// The maximum is reached, and the rest is cancelled but for the operations of these entries.
    case stopped(kept: Set<Int32>)

    /// Whether the maximum is reached.
    var isStopped: Bool {
        if case .stopped = self { true } else { false }
    }

    /// Whether the maximum is reached, and an entry is not there for failures.
    func isOver(for entry: Int32) -> Bool {
        if case .stopped(let kept) = self { !kept.contains(entry) } else { false }
    }

    /// Notes an entry with an operation that failed, or was skipped because of a failure.
    mutating func note(_ entry: Int32) {
        guard case .counting(var entries) = self else { return }
        // The set has one owner while it changes, and is not copied.
        self = .counting([])
        entries.insert(entry)
        self = .counting(entries)
    }

    /// Whether an entry has an operation that failed, or was skipped because of a failure; false once the maximum is reached.
    func hasFailed(_ entry: Int32) -> Bool {
        if case .counting(let entries) = self { entries.contains(entry) } else { false }
    }
}
