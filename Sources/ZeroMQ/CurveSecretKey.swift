import CBatonZeroMQ

/// The secret half of a CURVE key, which no description, debugger or dump of a value shows.
///
/// Two secret keys are compared in constant time. The bytes stay in the memory of the process after the last copy is gone.
@_spi(Baton) public struct CurveSecretKey: Sendable {
    let content: CurveBytes

    /// Takes over 32 bytes; nil for any other number of bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard let content = CurveBytes(bytes) else { return nil }
        self.content = content
    }

    /// Reads a key of 40 characters in Z85 (ZeroMQ RFC 32); nil for any other text.
    public init?(z85 text: String) {
        guard let content = CurveBytes(z85: text) else { return nil }
        self.content = content
    }

    /// A copy of the 32 secret bytes, for a file or a message to their owner alone.
    public var bytes: [UInt8] { content.withUnsafeBytes { Array($0) } }

    /// The secret as 40 characters of Z85, for a file or a message to its owner alone.
    public var z85: String { content.z85 }

    /// Computes the public half.
    ///
    /// - Throws: `ZeroMQError` if libzmq was built without CURVE.
    public func publicKey() throws(ZeroMQError) -> CurvePublicKey {
        let secret = z85
        let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: CurveBytes.textLength + 1) { text in
            zmq_curve_public(text.baseAddress, secret) == 0 ? text.baseAddress.map { String(cString: $0) } : nil
        }
        guard let text, let key = CurvePublicKey(z85: text) else { throw .last("zmq_curve_public") }
        return key
    }
}

@_spi(Baton) extension CurveSecretKey: Equatable {
    /// Compares in a time that does not depend on the bytes.
    public static func == (left: CurveSecretKey, right: CurveSecretKey) -> Bool {
        left.content.isEqualInConstantTime(to: right.content)
    }
}

@_spi(Baton) extension CurveSecretKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A text that holds nothing of the key.
    public var description: String { "(a secret key)" }

    /// A text that holds nothing of the key.
    public var debugDescription: String { description }

    /// A mirror without children, so that `dump` shows nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
