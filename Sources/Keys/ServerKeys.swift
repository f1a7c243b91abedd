@_spi(Baton) public import BatonZeroMQ

/// What a coordinator needs of its key directory.
@_spi(Baton) public struct ServerKeys: Sendable {
    /// The key that proves the coordinator.
    public let key: CurveKeyPair
    /// The admitted and revoked keys.
    public let table: KeyTable
    /// The keys behind the tokens of operations.
    public let operationKeys: OperationKeys
    /// The files that were missing, and were made anew, although there were keys before.
    public let lostFiles: [LostKeyFile]
    /// Whether the directory showed no sign of an earlier coordinator.
    public let isFirstStart: Bool
}
