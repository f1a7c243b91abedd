import Operations

/// Several operations that can be depended on as one: an array, or a job.
struct Join {
    /// How many of them are not finished.
    var unfinished: Int
    /// Whether all that are finished succeeded.
    var allSucceeded = true
    /// Whether any of them failed.
    var anyFailed = false
    /// Whether any of them left a result.
    var hasResult = false
    /// The last of the edges to its dependents; -1 for none.
    var dependents: Int32 = -1

    /// What a dependent is told once all are finished.
    var settled: SettledDependency {
        SettledDependency(succeeded: allSucceeded, failed: anyFailed, hasResult: hasResult)
    }

    /// Counts operations that are finished.
    mutating func count(_ finished: Int, outcome: Outcome, hasResult: Bool) {
        unfinished -= finished
        if outcome != .succeeded { allSucceeded = false }
        if outcome == .failed { anyFailed = true }
        if hasResult { self.hasResult = true }
    }
}
