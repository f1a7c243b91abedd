/// The effect of the end of an operation, an array or a job on its dependents (DE24).
@_spi(Baton) public enum Ending: Hashable, Sendable, CustomStringConvertible {
    /// It succeeded.
    case succeeded
    /// It was skipped without any failure: the condition for its run did not come about.
    case notNeeded
    /// It failed, or was skipped because of a failure; the root is the operation that failed.
    case failed(OperationID)
    /// It was cancelled, or skipped because of a cancellation; the root is the operation that was cancelled.
    case cancelled(OperationID)

    /// Reads the text that ``description`` writes; nil for any other text.
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

    /// The ending with the root that is so many operations further on; the same for an ending without a root.
    public func after(_ distance: UInt32) -> Ending {
        func moved(_ root: OperationID) -> OperationID { OperationID(job: root.job, index: root.index &+ distance) }
        return switch self {
        case .succeeded, .notNeeded: self
        case .failed(let root): .failed(moved(root))
        case .cancelled(let root): .cancelled(moved(root))
        }
    }

    /// Whether dependents that run on a failure run because of this end (DE9).
    public var isFailure: Bool {
        if case .failed = self { true } else { false }
    }

    /// The form in the record: `failed 12/0`.
    public var description: String {
        switch self {
        case .succeeded: "succeeded"
        case .notNeeded: "notNeeded"
        case .failed(let root): "failed \(root)"
        case .cancelled(let root): "cancelled \(root)"
        }
    }
}
