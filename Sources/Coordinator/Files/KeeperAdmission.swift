@_spi(Baton) public import BatonWire
@_spi(Baton) public import BatonZeroMQ

/// The secret and the key of the coordinator's own worker, which keeps files and runs nothing.
///
/// The worker is in the coordinator's process, and connects like any other worker. This process has drawn the secret and the key, and they
/// leave it over that connection alone: no other worker can claim to be the coordinator's own.
@_spi(Baton) public struct KeeperAdmission: Sendable {
    /// The worker's name, which no other worker may have.
    public var name: String
    /// The secret that the worker tells.
    public var secret: Secret
    /// The public key that the worker connects with, beside the table of keys; nil for a coordinator without keys.
    public var key: CurvePublicKey?

    /// Describes the coordinator's own worker.
    public init(name: String, secret: Secret, key: CurvePublicKey?) {
        self.name = name
        self.secret = secret
        self.key = key
    }

    /// Whether a claim is that of the coordinator's own worker, found in a time that does not depend on the claim's bytes.
    func isGenuine(_ claim: KeeperClaim) -> Bool {
        guard claim.secret.bytes.count == secret.bytes.count, !secret.bytes.isEmpty else { return false }
        return zip(claim.secret.bytes, secret.bytes).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
