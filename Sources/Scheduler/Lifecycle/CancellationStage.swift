/// How far the cancellation of an operation has come.
enum CancellationStage {
    /// Nobody has asked for it.
    case notRequested
    /// It was requested with that of many others, or the deadline of many has passed, and it waits for its turn (``LargeChange``).
    ///
    /// The operation is not dispatched and not skipped meanwhile.
    case awaitsTurn
    /// It was requested, and the operation has the flag (CA1).
    case flagged
    /// Nobody has requested it: the deadline has passed, and a worker was asked to end or to return the attempt (SC5).
    ///
    /// The operation has no flag.
    case overdue
}
