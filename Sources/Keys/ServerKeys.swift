@_spi(Baton) public import BatonZeroMQ

/// What a coordinator needs of its key directory.
@_spi(Baton) public struct ServerKeys: Sendable {
    /// The key that proves the coordinator.
    public let key: CurveKeyPair
    /// The admitted and revoked keys.
    public let table: KeyTable
    /// The keys behind the tokens of operations.
    public let operationKeys: OperationKeys
}
