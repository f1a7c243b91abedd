import BatonOperations

/// What a client wants done with operations that it names.
enum OperationChange: Sendable {
    /// To end them.
    case cancel
    /// Not to start them before they are released.
    case hold
    /// To let them start.
    case release
    /// To put them at another level.
    case priority(Priority)
}
