@_spi(Baton) public import BatonOperations

/// A running attempt whose process a signal has stopped, such as SIGSTOP or SIGTTIN.
@_spi(Baton) public struct AttemptStop: Hashable, Sendable {
    /// The attempt.
    public var token: AttemptToken
    /// The operation of the attempt.
    public var operation: OperationID
    /// The signal that stopped the process.
    public var signal: Int32
    /// The time since the worker saw the process stopped, in microseconds.
    public var age: Int64

    /// Describes a stop; the default age means just now.
    public init(token: AttemptToken, operation: OperationID, signal: Int32, age: Int64 = 0) {
        self.token = token
        self.operation = operation
        self.signal = signal
        self.age = age
    }
}
