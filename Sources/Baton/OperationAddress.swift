import BatonOperations

/// Where an operation of the cluster is found: `12/0`, as the command line writes it.
public struct OperationAddress: Hashable, Sendable, CustomStringConvertible {
    let id: OperationID

    /// The address as the command line writes it.
    public var description: String { id.description }
}
