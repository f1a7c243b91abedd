import BatonOperations

/// A client's request for output, passed on to the worker that has the output.
struct PendingOutput {
    /// The worker's session; only this session may answer.
    var session: SessionID
    /// The client to answer.
    var client: ReplyAddress
    /// The record's data, in case the worker has no output.
    var fallback: LogRequest?
    /// When to stop waiting for the worker.
    var deadline: Timestamp
}
