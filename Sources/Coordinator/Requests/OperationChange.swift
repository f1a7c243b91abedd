@_spi(Baton) import BatonOperations

/// A client's change of operations.
enum OperationChange: Sendable {
    /// Cancel the operations.
    case cancel
    /// Close the jobs, which then take no further operations.
    case close
    /// Hold the operations until their release.
    case hold
    /// Release the operations.
    case release
    /// Pause the operations, as far as they execute.
    case pause
    /// Continue the operations, as far as they are paused.
    case resume
    /// Send the operations' processes a signal.
    case signal(OperationSignal)
    /// Set the operations' priority.
    case priority(Priority)
}
