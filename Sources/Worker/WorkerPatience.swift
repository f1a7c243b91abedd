/// How long a worker waits for its coordinator before it goes on without an answer.
struct WorkerPatience: Sendable {
    /// How long the coordinator's addresses may take to accept a connection.
    var connection = Duration.seconds(5)
    /// How long the next sign of life before the welcome may take, the connection itself included, before the worker tries another
    /// connection; longer over a long distance.
    var welcome = Duration.seconds(5)
    /// How long the acknowledgement of the last completions may take when the worker leaves.
    var acknowledgement = Duration.seconds(2)
    /// How long a goodbye may take to leave.
    var goodbye = Duration.seconds(1)
    /// How long a connected place may leave the first inquiry unanswered before it counts as one that answers none.
    var inquiry = Duration.seconds(2)
}
