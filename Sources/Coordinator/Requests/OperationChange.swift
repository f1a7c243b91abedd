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
    /// Set the operations' priority.
    case priority(Priority)
}
