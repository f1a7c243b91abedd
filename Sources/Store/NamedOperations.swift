/// An operation or array with a name.
@_spi(Baton) public struct NamedOperations: Hashable, Sendable {
    /// The name.
    public var name: String
    /// The indices in the job.
    public var operations: Range<UInt32>

    /// Describes an operation or array.
    public init(name: String, operations: Range<UInt32>) {
        self.name = name
        self.operations = operations
    }
}
