import CBatonZeroMQ

/// A public key with its secret key.
@_spi(Baton) public struct CurveKeyPair: Equatable, Sendable {
    /// The half that others know.
    public let publicKey: CurvePublicKey
    /// The half that only the owner knows.
    public let secretKey: CurveSecretKey

    /// Completes a secret key by its public key.
    ///
    /// - Throws: `ZeroMQError` if libzmq was built without CURVE.
    public init(secretKey: CurveSecretKey) throws(ZeroMQError) {
        publicKey = try secretKey.publicKey()
        self.secretKey = secretKey
    }

    /// Makes a new pair out of the system's random numbers.
    ///
    /// - Throws: `ZeroMQError` if libzmq was built without CURVE.
    public static func generate() throws(ZeroMQError) -> CurveKeyPair {
        var publicText = [CChar](repeating: 0, count: CurveBytes.textLength + 1)
        var secretText = publicText
        guard zmq_curve_keypair(&publicText, &secretText) == 0 else { throw .last("zmq_curve_keypair") }
        let secret = String(decoding: secretText.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard let key = CurveSecretKey(z85: secret) else { throw ZeroMQError(code: EINVAL, call: "zmq_curve_keypair") }
        return try CurveKeyPair(secretKey: key)
    }
}
