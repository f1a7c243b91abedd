@_spi(Baton) public import BatonOperations

/// A finished dependency of an operation, with or without a result.
@_spi(Baton) public struct FinishedDependency: Hashable, Sendable {
    /// The dependency; of an array or a whole job, one operation of it.
    public var operation: OperationID
    /// The name in its job; for an element of a named array, `NAME.NUMBER`; nil for none.
    public var name: String?
    /// The name of the type of a Swift operation; nil for any other.
    public var type: String?
    /// How the dependency ended.
    public var outcome: Outcome
    /// Whether the dependency left a result.
    public var hasResult: Bool

    /// Describes a dependency.
    public init(operation: OperationID, name: String?, type: String?, outcome: Outcome, hasResult: Bool) {
        self.operation = operation
        self.name = name
        self.type = type
        self.outcome = outcome
        self.hasResult = hasResult
    }
}
