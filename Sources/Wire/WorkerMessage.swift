@_spi(Baton) public import BatonOperations

/// A message from a worker to the coordinator.
@_spi(Baton) public enum WorkerMessage: Hashable, Sendable {
    /// The worker's hello; the answer is `welcome` or `refused`.
    case hello(WorkerHello)
    /// The worker is still present; the answer is a heartbeat with the same number.
    case heartbeat(SessionID, number: UInt64)
    /// A report on attempts.
    case report(SessionID, AttemptReport)
    /// A request for the results of an operation's dependencies, before the start of an attempt of commands (DE20).
    case fetchInputs(SessionID, AttemptToken, OperationID)
    /// The same for an attempt of a Swift operation; the answer is `typedInputs`.
    case fetchTypedInputs(SessionID, AttemptToken, OperationID)
    /// The latest progress of running attempts of Swift operations.
    case progress(SessionID, [AttemptProgress])
    /// All running attempts whose processes are stopped, whenever that changes; to a coordinator that speaks version 2 of the protocol.
    case stops(SessionID, [AttemptStop])
    /// The answer to `readOutput`; nil if the worker does not have the output (any more).
    case output(request: UInt64, OutputChunk?)
    /// The fault that prevents the worker from starting attempts; nil once it can start attempts again (D9).
    case health(SessionID, fault: String?)
    /// The worker's round trip to the coordinator and back, in microseconds, once it is noticeable and whenever it changes.
    case distance(SessionID, roundTrip: UInt64)
    /// The worker finishes or ends its attempts and then leaves: it accepts nothing new.
    case leaving(SessionID)
    /// The worker leaves; its running attempts are interrupted, and their completions were sent before.
    case goodbye(SessionID)
}
