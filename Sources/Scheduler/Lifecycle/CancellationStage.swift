/// How far the cancellation of an operation has come.
enum CancellationStage {
    /// Nobody has asked for it.
    case notRequested
    /// It was requested with that of many others, and waits for its turn (``LargeChange``).
    ///
    /// The operation is not dispatched and not skipped meanwhile.
    case awaitsTurn
    /// It was requested, and the operation has the flag (CA1).
    case flagged
}
