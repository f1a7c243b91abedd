@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// Several operations as the target of one dependency: an array or a job.
struct Join {
    /// What the dependents are told after operations have finished.
    struct News {
        /// The first edge to a dependent; the join lets go of the list once all operations are finished.
        var dependents: EdgeTable.Index?
        /// Whether the success of the whole has just become impossible.
        var isRuledOutNow: Bool
        /// The fate of the whole once all operations are finished; nil before.
        var end: DependencyEnd?
        /// Whether some operation may have finished without an attempt.
        var mayHaveLeftOut: Bool
    }

    /// The number of unfinished operations; an open job counts as one of its own.
    private(set) var unfinished: Int
    /// Whether the join is a job.
    ///
    /// If none of its operations was needed, a job has succeeded, whereas an array was not needed (DE25).
    let isJob: Bool
    /// Whether any operation succeeded.
    private var anySucceeded = false
    /// The first failed operation, or the root of the first operation that was skipped because of a failure.
    private var failure: OperationID?
    /// The first cancelled operation, or the root of the first operation that was skipped because of a cancellation.
    private var cancellation: OperationID?
    /// Whether any operation did not succeed.
    private var hasOtherEnds = false
    /// Whether any operation left a result.
    private(set) var hasResult = false
    /// Whether any operation left files.
    private(set) var hasFiles = false
    /// The newest edge to a dependent, which is the first of the list.
    var dependents: EdgeTable.Index?

    init(unfinished: Int, isJob: Bool) {
        self.unfinished = unfinished
        self.isJob = isJob
    }

    /// Whether an operation has failed or was cancelled: a dependent that needs the success of the whole cannot run any more
    /// (DE9).
    var isRuledOut: Bool { failure != nil || cancellation != nil }

    /// The fate that dependents are told once all operations are finished; before, the fate of the finished operations.
    var dependencyEnd: DependencyEnd { DependencyEnd(ending, hasResult: hasResult, hasFiles: hasFiles) }

    private var ending: Ending {
        if let failure { return .failed(failure) }
        if let cancellation { return .cancelled(cancellation) }
        return anySucceeded || isJob ? .succeeded : .notNeeded
    }

    /// Counts new operations.
    mutating func add(_ number: Int) { unfinished += number }

    /// Notes the cancellation of a job without unfinished operations; an operation that ended without success before counts first.
    mutating func cancel(rootedAt root: OperationID) {
        if cancellation == nil { cancellation = root }
    }

    /// Ends an open job, which takes no further operations.
    ///
    /// - Returns: what the dependents have to be told.
    mutating func close() -> News {
        unfinished -= 1
        invariant(unfinished >= 0, "A job is closed that was not open.")
        let news = News(
            dependents: dependents,
            isRuledOutNow: false,
            end: unfinished == 0 ? dependencyEnd : nil,
            mayHaveLeftOut: hasOtherEnds
        )
        if unfinished == 0 { dependents = nil }
        return news
    }

    /// Counts finished operations.
    ///
    /// - Returns: what the dependents have to be told.
    @discardableResult
    mutating func count(_ finished: Int, _ end: DependencyEnd) -> News {
        invariant(finished > 0, "No operation of an array or a job has finished, and it is told so.")
        let couldSucceed = !isRuledOut
        unfinished -= finished
        invariant(unfinished >= 0, "More operations of an array or a job have finished than it has.")
        if end.hasResult { hasResult = true }
        if end.hasFiles { hasFiles = true }
        if end.ending != .succeeded { hasOtherEnds = true }
        switch end.ending {
        case .succeeded: anySucceeded = true
        case .notNeeded: break
        case .failed(let root): if failure == nil { failure = root }
        case .cancelled(let root): if cancellation == nil { cancellation = root }
        }
        let isFinished = unfinished == 0
        let news = News(
            dependents: dependents,
            isRuledOutNow: couldSucceed && isRuledOut,
            end: isFinished ? dependencyEnd : nil,
            mayHaveLeftOut: hasOtherEnds
        )
        if isFinished { dependents = nil }
        return news
    }
}
