@_spi(Baton) public import BatonZeroMQ

extension CurveKeyPair {
    /// A new pair, with the error of this module.
    static func made() throws(KeyError) -> CurveKeyPair {
        do { return try generate() } catch { throw KeyError(error) }
    }

    /// A secret key with its public key, with the error of this module.
    static func completed(_ secretKey: CurveSecretKey) throws(KeyError) -> CurveKeyPair {
        do { return try CurveKeyPair(secretKey: secretKey) } catch { throw KeyError(error) }
    }
}

@_spi(Baton) extension JoinToken {
    /// The public half of the token's key.
    ///
    /// - Throws: `KeyError` with ``KeyError/Code/unsupported`` if libzmq was built without CURVE.
    public func publicKey() throws(KeyError) -> CurvePublicKey { try keyPair().publicKey }

    /// Both halves of the token's key.
    ///
    /// - Throws: `KeyError` with ``KeyError/Code/unsupported`` if libzmq was built without CURVE.
    public func keyPair() throws(KeyError) -> CurveKeyPair { try .completed(secretKey) }
}
