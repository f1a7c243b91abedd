/// An attempt that a worker has accepted and whose end the coordinator has not yet acknowledged.
@_spi(Baton) public struct ClaimedAttempt: Hashable, Sendable {
    /// The phase of an attempt on its worker.
    public enum Phase: UInt8, Sendable, CaseIterable {
        /// The attempt waits for a slot: none of its code has run.
        case waiting = 0
        /// The code may be running.
        case running = 1
        /// The attempt is over: the result lies in the worker's outbox and follows.
        case finished = 2
    }

    /// The attempt.
    public var token: AttemptToken
    /// The operation of the attempt.
    public var operation: OperationID
    /// The number of the attempt, from 1; for a completion hook, the number of attempts of the operation.
    public var attempt: UInt32
    /// The present phase.
    public var phase: Phase
    /// Whether the attempt runs the operation's completion hook instead of the operation itself.
    public var isHook: Bool
    /// The time between the start of the code and the worker's report, in microseconds; 0 for a waiting attempt.
    public var age: Int64

    /// Describes a claimed attempt.
    public init(
        token: AttemptToken,
        operation: OperationID,
        attempt: UInt32,
        phase: Phase = .running,
        isHook: Bool = false,
        age: Int64 = 0
    ) {
        self.token = token
        self.operation = operation
        self.attempt = attempt
        self.phase = phase
        self.isHook = isHook
        self.age = age
    }

    /// Whether the attempt is over.
    public var isFinished: Bool { phase == .finished }
}
