/// What the end of an operation, an array or a job means to those that depend on it (DE24).
public enum Ending: Hashable, Sendable, CustomStringConvertible {
    /// It succeeded.
    case succeeded
    /// It was skipped although nothing went wrong: what it would have been run for did not come about.
    case notNeeded
    /// It failed, or was skipped because of a failure: that of the operation named here, the root.
    case failed(OperationID)
    /// It was cancelled, or skipped because of a cancellation: that of the operation named here, the root.
    case cancelled(OperationID)

    /// Reads what ``description`` writes; nil for anything else.
    public init?(_ text: String) {
        let words = text.split(separator: " ", maxSplits: 1)
        switch (words.first, words.count) {
        case ("succeeded", 1): self = .succeeded
        case ("notNeeded", 1): self = .notNeeded
        case ("failed", 2), ("cancelled", 2):
            guard case .operation(let root)? = Address(String(words[1])) else { return nil }
            self = words[0] == "failed" ? .failed(root) : .cancelled(root)
        default: return nil
        }
    }

    /// The operation that failed or was cancelled.
    public var root: OperationID? {
        switch self {
        case .succeeded, .notNeeded: nil
        case .failed(let root), .cancelled(let root): root
        }
    }

    /// Whether what runs on a failure runs because of it (DE9).
    public var isFailure: Bool {
        if case .failed = self { true } else { false }
    }

    /// The form in which the record has it: `failed 12/0`.
    public var description: String {
        switch self {
        case .succeeded: "succeeded"
        case .notNeeded: "notNeeded"
        case .failed(let root): "failed \(root)"
        case .cancelled(let root): "cancelled \(root)"
        }
    }
}
