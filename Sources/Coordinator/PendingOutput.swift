import BatonOperations

/// A client's request for output that was passed on to the worker that has it.
struct PendingOutput {
    /// Who was asked, and alone may answer.
    var session: SessionID
    /// Whom to answer.
    var client: ReplyAddress
    /// What the record has, for the case that the worker has nothing.
    var fallback: LogRequest?
    /// When to stop waiting for the worker.
    var deadline: Timestamp
}
