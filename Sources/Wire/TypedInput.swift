@_spi(Baton) public import BatonOperations

/// A dependency of a Swift operation, with its result, as an input of an attempt (DE20).
@_spi(Baton) public struct TypedInput: Hashable, Sendable {
    /// The dependency; of an array or a whole job, one operation of it.
    public var operation: OperationID
    /// The dependency's name in its job; for an element of a named array, `NAME.NUMBER`; nil for none.
    public var name: String?
    /// The name of the dependency's type if the dependency is a Swift operation; nil for any other.
    public var type: String?
    /// How the dependency ended.
    public var outcome: Outcome
    /// The result; nil if the dependency left none.
    public var result: [UInt8]?

    /// Describes an input.
    public init(
        operation: OperationID,
        name: String? = nil,
        type: String? = nil,
        outcome: Outcome,
        result: [UInt8]? = nil
    ) {
        self.operation = operation
        self.name = name
        self.type = type
        self.outcome = outcome
        self.result = result
    }
}
