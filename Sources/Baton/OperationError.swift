/// The reason for a missing result of an operation; the operation will never have a result.
public enum OperationError: Error, Hashable, Sendable {
    /// The operation failed, after its retries; `reason` is a stable word for scripts, for example `error`, `timeout` or
    /// `lost`.
    case failed(reason: String, message: String)
    /// The operation was cancelled.
    case cancelled
    /// The operation was skipped, because a dependency made the start impossible.
    case skipped(message: String)
}

extension OperationError: CustomStringConvertible {
    /// The failure, in a sentence.
    public var description: String {
        switch self {
        case .failed(_, let message), .skipped(let message): message
        case .cancelled: "The operation was cancelled."
        }
    }
}
