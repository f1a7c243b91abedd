/// Why an operation has no result, and will have none.
public enum OperationError: Error, Hashable, Sendable {
    /// It failed, after its retries; `reason` is the word that scripts find, such as `error`, `timeout` or `lost`.
    case failed(reason: String, message: String)
    /// Somebody cancelled it.
    case cancelled
    /// One of its dependencies made it impossible.
    case skipped(message: String)
}

extension OperationError: CustomStringConvertible {
    /// What happened, in a sentence.
    public var description: String {
        switch self {
        case .failed(_, let message), .skipped(let message): message
        case .cancelled: "The operation was cancelled."
        }
    }
}
