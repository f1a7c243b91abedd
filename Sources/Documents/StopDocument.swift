@_spi(Baton) public import BatonOperations

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A signal that has stopped a process of a running command, which goes on with SIGCONT (D17).
@_spi(Baton) public struct StopDocument: Document {
    /// The number of the signal.
    public var signal: Int32
    /// The name of the signal, such as `SIGTTIN`; for others than the signals that stop by default, `signal` and the number.
    public var name: String
    /// When the worker saw the process stopped, up to some seconds after the signal.
    public var since: Timestamp

    /// Describes a stop.
    public init(signal: Int32, since: Timestamp) {
        self.signal = signal
        self.since = since
        name =
            switch signal {
            case SIGSTOP: "SIGSTOP"
            case SIGTSTP: "SIGTSTP"
            case SIGTTIN: "SIGTTIN"
            case SIGTTOU: "SIGTTOU"
            default: "signal \(signal)"
            }
    }
}

/// An executing operation, or the completion hook of one, with a stopped process.
@_spi(Baton) public struct StoppedOperation: Document {
    /// The operation.
    public var operation: OperationID
    /// Whether the completion hook of the operation, or of its job, is stopped; absent for the operation itself.
    @IfPresent public var hook: Bool?
    /// The worker that runs the operation or the hook.
    public var worker: String?
    /// The signal, and since when.
    public var stop: StopDocument

    /// Describes a stopped operation or hook.
    public init(operation: OperationID, hook: Bool? = nil, worker: String?, stop: StopDocument) {
        self.operation = operation
        self.hook = hook
        self.worker = worker
        self.stop = stop
    }
}
