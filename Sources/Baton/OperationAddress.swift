@_spi(Baton) import BatonOperations

/// The address of an operation in the cluster: `12/0`, as on the command line.
public struct OperationAddress: Hashable, Sendable, CustomStringConvertible {
    let id: OperationID

    /// The address as on the command line.
    public var description: String { id.description }
}
