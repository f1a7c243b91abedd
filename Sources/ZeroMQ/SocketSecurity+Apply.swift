import CBatonZeroMQ

extension SocketSecurity {
    /// `ZMQ_ZAP_ENFORCE_DOMAIN`, which the header declares for drafts alone although the library always has it.
    private static var enforceDomain: Int32 { 93 }

    /// The bytes that an encrypted frame is longer than its message: a name and nonce of 16, a tag of 16 and the flags.
    var frameOverhead: Int { self == .none ? 0 : 33 }

    /// Protects a socket that has neither bound nor connected.
    func apply(to socket: Socket) throws(ZeroMQError) {
        switch self {
        case .none:
            return
        case .curveServer(let secretKey, let domain):
            guard (1...255).contains(domain.utf8.count), !domain.utf8.contains(0) else {
                throw ZeroMQError(code: EINVAL, call: "zmq_setsockopt", subject: "ZMQ_ZAP_DOMAIN")
            }
            try socket.set(ZMQ_CURVE_SERVER, Int32(1), "ZMQ_CURVE_SERVER")
            try socket.set(ZMQ_CURVE_SECRETKEY, secretKey.content, "ZMQ_CURVE_SECRETKEY")
            try socket.set(ZMQ_ZAP_DOMAIN, Array(domain.utf8), "ZMQ_ZAP_DOMAIN")
            // Without it, a socket whose authenticator is missing would accept every peer.
            try socket.set(Self.enforceDomain, Int32(1), "ZMQ_ZAP_ENFORCE_DOMAIN")
        case .curveClient(let server, let key):
            try socket.set(ZMQ_CURVE_SERVERKEY, server.content, "ZMQ_CURVE_SERVERKEY")
            try socket.set(ZMQ_CURVE_PUBLICKEY, key.publicKey.content, "ZMQ_CURVE_PUBLICKEY")
            try socket.set(ZMQ_CURVE_SECRETKEY, key.secretKey.content, "ZMQ_CURVE_SECRETKEY")
        }
    }
}

extension Socket {
    /// Sets a key option.
    fileprivate func set(_ option: Int32, _ key: CurveBytes, _ name: String) throws(ZeroMQError) {
        let code = key.withUnsafeBytes { setBytes(option, $0) }
        guard code == 0 else { throw ZeroMQError(code: code, call: "zmq_setsockopt", subject: name) }
    }

    /// Sets an option of any bytes.
    fileprivate func set(_ option: Int32, _ value: [UInt8], _ name: String) throws(ZeroMQError) {
        let code = value.withUnsafeBytes { setBytes(option, $0) }
        guard code == 0 else { throw ZeroMQError(code: code, call: "zmq_setsockopt", subject: name) }
    }
}
