import BatonOperations

/// Several operations that can be depended on as one: an array, or a job.
struct Join {
    /// How many of them are not finished.
    var unfinished: Int
    /// Whether it is a job, which has succeeded where nothing of it was needed; an array was not needed then (DE25).
    let isJob: Bool
    /// Whether any of them succeeded.
    private var anySucceeded = false
    /// The first that failed, or the root of the first that was skipped because of a failure.
    private var failure: OperationID?
    /// The same for cancellations.
    private var cancellation: OperationID?
    /// Whether any of them left a result.
    private(set) var hasResult = false
    /// The last of the edges to its dependents; -1 for none.
    var dependents: Int32 = -1

    init(unfinished: Int, isJob: Bool) {
        self.unfinished = unfinished
        self.isJob = isJob
    }

    /// Whether one of them has failed or was cancelled, so that what needs the whole cannot run any more (DE9).
    var isRuledOut: Bool { failure != nil || cancellation != nil }

    /// What a dependent is told once all are finished; before that, what the finished ones come to.
    var settled: SettledDependency { SettledDependency(ending, hasResult: hasResult) }

    private var ending: Ending {
        if let failure { return .failed(failure) }
        if let cancellation { return .cancelled(cancellation) }
        return anySucceeded || isJob ? .succeeded : .notNeeded
    }

    /// Counts operations that are finished.
    mutating func count(_ finished: Int, _ end: SettledDependency) {
        unfinished -= finished
        if end.hasResult { hasResult = true }
        switch end.ending {
        case .succeeded: anySucceeded = true
        case .notNeeded: break
        case .failed(let root): if failure == nil { failure = root }
        case .cancelled(let root): if cancellation == nil { cancellation = root }
        }
    }
}
