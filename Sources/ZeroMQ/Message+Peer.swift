import CBatonZeroMQ

@_spi(Baton) extension Message {
    /// The user id that the ``Authenticator`` gave to the sender's connection; nil for a message without one.
    ///
    /// Read it only from a socket with ``SocketSecurity/curveServer(secretKey:domain:)``. On a socket without CURVE, the
    /// sender itself may set this property, to any text. A malformed message has lost its user id.
    ///
    /// - Complexity: two small allocations.
    public var userID: String? { property("User-Id") }

    /// The IP address of the sender's end of the connection, without the port; nil for a message inside the process.
    public var peerAddress: String? { property("Peer-Address").map(MappedAddress.plain) }

    /// The descriptor of the connection that brought the message; nil for a message inside the process.
    ///
    /// Its connection may have ended since, and another connection of the process may have the number: use it only for
    /// ``AcceptWatch/end(descriptor:)``, after which a wrongly ended peer connects again.
    public var connectionDescriptor: Int32? {
        guard peerAddress != nil else { return nil }
        let descriptor = withStorage { zmq_msg_get($0, ZMQ_SRCFD) }
        return descriptor >= 0 ? descriptor : nil
    }

    private func property(_ name: String) -> String? {
        withStorage { zmq_msg_gets($0, name).map { String(cString: $0) } }
    }
}
