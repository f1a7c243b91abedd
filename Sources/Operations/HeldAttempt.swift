/// An attempt that a worker has taken and that the coordinator has not yet acknowledged the end of.
public struct HeldAttempt: Hashable, Sendable {
    /// How far an attempt has come on its worker.
    public enum Phase: UInt8, Sendable, CaseIterable {
        /// It waits for a slot: nothing of it has run.
        case waiting = 0
        /// Its code may be running.
        case running = 1
        /// It is over: its result lies in the worker's outbox and follows.
        case finished = 2
    }

    /// The attempt.
    public var token: AttemptToken
    /// The operation that it is an attempt of.
    public var operation: OperationID
    /// Which attempt of the operation it is, from 1; for a completion hook, how many there were.
    public var attempt: UInt32
    /// How far it has come.
    public var phase: Phase
    /// Whether it is not the operation itself that is run, but the completion hook of it.
    public var isHook: Bool
    /// How many microseconds ago its code was started, when the worker said so; 0 where it waits.
    public var age: Int64

    /// Describes a held attempt.
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

    /// Whether it is over.
    public var isFinished: Bool { phase == .finished }
}
