/// The state of an operation in its life cycle, named after `Operation` (ST2).
///
/// Cancelled is not a state but a separate flag, which can be set in every state but `finished`.
@_spi(Baton) public enum OperationState: UInt8, Sendable, CaseIterable, CustomStringConvertible {
    /// Waits for dependencies, a time or a release.
    case pending = 0
    /// Could start now, if its queue and a worker let it.
    case ready = 1
    /// Its code may be running on a worker (ST3).
    case executing = 2
    /// Is over, with exactly one outcome (ST4).
    case finished = 3

    /// The name of the state in the command line and in JSON.
    public var description: String {
        switch self {
        case .pending: "pending"
        case .ready: "ready"
        case .executing: "executing"
        case .finished: "finished"
        }
    }
}
