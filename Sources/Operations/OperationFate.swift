/// What has become of an operation, as far as a retry of its job has to know; it takes two bytes.
public struct OperationFate: Hashable, Sendable {
    /// How it ended; nil while it is unfinished.
    public var outcome: Outcome?
    /// Whether it left a result.
    public var hasResult: Bool

    /// Describes what has become of an operation; nothing, where nothing is said.
    public init(outcome: Outcome? = nil, hasResult: Bool = false) {
        self.outcome = outcome
        self.hasResult = hasResult
    }

    /// Takes from a record what a retry has to know.
    public init(_ record: OperationRecord) {
        self.init(outcome: record.outcome, hasResult: record.hasResult)
    }

    /// Whether `baton retry` submits it again: it failed, or a dependency made it impossible.
    public var isRetried: Bool { outcome == .failed || outcome == .skipped }
}
