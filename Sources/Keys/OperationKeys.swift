@_spi(Baton) import BatonZeroMQ

/// The coordinator's part of the tokens of operations: gives each worker the keys of its operations, and judges proofs.
///
/// All keys are derived from a secret that the key directory keeps. So tokens survive a restart of the coordinator, and nothing
/// is kept for any of them. A genuine proof was made by the claimed worker or by the coordinator; whether the attempt still
/// runs, and on that worker, is for the caller to say.
@_spi(Baton) public struct OperationKeys: Sendable {
    private let server: CurvePublicKey
    private let transportKey: CurveSecretKey
    private let secret: OperationSecret

    /// Keeps the keys of workers apart from any other use of the secret.
    private static let purpose = Array("baton worker of operations 1".utf8)

    init(server: CurvePublicKey, transportKey: CurveSecretKey, secret: OperationSecret) {
        self.server = server
        self.transportKey = transportKey
        self.secret = secret
    }

    /// The keys with which a worker makes the tokens of its operations; the same worker always gets the same keys.
    ///
    /// - Parameter worker: the identity of the worker.
    public func issuer(for worker: UInt64) -> OperationIssuer {
        OperationIssuer(server: server, transportKey: transportKey, secret: derivedSecret(of: worker))
    }

    /// Whether a proof was made with the keys of the worker that it claims, found in a time that does not depend on the code.
    public func isGenuine(_ proof: OperationProof) -> Bool {
        let codes = HMAC(secret: derivedSecret(of: proof.claim.worker))
        return OperationIssuer.code(of: proof.claim, with: codes).isEqualInConstantTime(to: proof.code)
    }

    private func derivedSecret(of worker: UInt64) -> [UInt8] {
        var message = Self.purpose
        message.appendBigEndian(worker)
        return HMAC(secret: secret.bytes).code(for: message)
    }
}
