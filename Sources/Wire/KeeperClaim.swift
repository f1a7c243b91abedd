/// The claim of a worker to be the coordinator's own, which keeps files and runs nothing.
@_spi(Baton) public struct KeeperClaim: Hashable, Sendable {
    /// The secret of the coordinator's process, which no other process knows.
    public var secret: Secret
    /// Whether the worker is to have a copy of each file that operations leave.
    public var keepsAll: Bool

    /// Describes a keeper.
    public init(secret: Secret, keepsAll: Bool) {
        self.secret = secret
        self.keepsAll = keepsAll
    }
}
