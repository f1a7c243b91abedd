@_spi(Baton) public import BatonZeroMQ

/// What a second coordinator needs to stand in for the first one: all secrets of its key directory, and the table of keys.
///
/// Every peer takes an owner of these keys for the coordinator. The keys leave a host over an encrypted connection only, for a key with
/// ``Role/coordinator`` that serves once, and no description shows them.
@_spi(Baton) public struct CoordinatorKeys: Sendable, CustomStringConvertible, CustomReflectable {
    /// The key that proves the coordinators.
    let key: CurveKeyPair
    /// The secret behind the tokens of operations.
    let secret: OperationSecret
    /// The home's own keys: both homes have the same, so that no number of the table means another key at the other one.
    let tokens: [JoinToken]
    /// The table of keys.
    let table: KeyTable

    /// The public key of the coordinators.
    public var server: CurvePublicKey { key.publicKey }

    /// Says what it is, without a secret.
    public var description: String { "(the keys of a coordinator)" }

    /// Has no parts, which would be secrets.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
