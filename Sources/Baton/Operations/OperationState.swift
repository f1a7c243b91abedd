@_spi(Baton) import BatonOperations

/// The state of an operation in the cluster.
///
/// ```swift
/// let waiting = try await queue.allOperations().filter { $0.operationState != .executing }
/// ```
public enum OperationState: String, Hashable, Sendable, Codable, CaseIterable {
    /// The operation waits for dependencies, a time or a release.
    case pending
    /// The operation can start as soon as it is its turn.
    case ready
    /// A worker runs the operation.
    case executing
    /// The operation is over, with an outcome.
    case finished

    init(_ state: BatonOperations.OperationState) {
        self =
            switch state {
            case .pending: .pending
            case .ready: .ready
            case .executing: .executing
            case .finished: .finished
            }
    }
}
