import CBatonZeroMQ

/// An event of a connection of a monitored socket; see zmq_socket_monitor(3).
@_spi(Baton) public struct SocketEvent: Equatable, Sendable {
    /// The kind of event.
    public enum Kind: Equatable, Sendable {
        /// A TCP connection is made; the handshake follows.
        case connected
        /// A connection is being made; the answer is awaited.
        case connectDelayed
        /// A connection could not be made (refused, timed out, no such host) or was lost; the next attempt follows the
        /// pause.
        ///
        /// Without a `connected` event before, no process listens at the endpoint.
        case connectRetried(after: Duration)
        /// A peer has connected to the bound socket.
        case accepted
        /// A peer could not be accepted; with the errno.
        case acceptFailed(Int32)
        /// A descriptor was closed; after a failed attempt to connect, for instance.
        case closed
        /// A connection ended without a request from this side.
        case disconnected
        /// Both ends speak the same protocol and accept each other.
        case handshakeSucceeded
        /// The other end speaks another protocol or went away during the handshake.
        case handshakeFailed(HandshakeFailure)
        /// No event follows: the monitored socket is closed.
        case monitorStopped
    }

    /// The reason for a failed handshake.
    public enum HandshakeFailure: Equatable, Sendable {
        /// The system's errno: usually the peer went away.
        case system(Int32)
        /// libzmq's number for a violation of the protocol (`ZMQ_PROTOCOL_ERROR_...`).
        case `protocol`(UInt32)
        /// The status with which the peer was refused: 300, 400 or 500.
        case authentication(UInt32)
    }

    /// The kind of event.
    public let kind: Kind
    /// The bound or connected endpoint.
    public let endpoint: String
}

extension SocketEvent.Kind {
    /// The requested events: all events except results that a function returns to its caller.
    static var mask: Int32 {
        ZMQ_EVENT_CONNECTED | ZMQ_EVENT_CONNECT_DELAYED | ZMQ_EVENT_CONNECT_RETRIED | ZMQ_EVENT_ACCEPTED
            | ZMQ_EVENT_ACCEPT_FAILED | ZMQ_EVENT_CLOSED | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_MONITOR_STOPPED
            | ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL
            | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH
    }

    /// Decodes libzmq's number and value of an event; nil for an event outside the mask.
    init?(number: UInt16, value: UInt32) {
        switch Int32(number) {
        case ZMQ_EVENT_CONNECTED: self = .connected
        case ZMQ_EVENT_CONNECT_DELAYED: self = .connectDelayed
        case ZMQ_EVENT_CONNECT_RETRIED: self = .connectRetried(after: .milliseconds(value))
        case ZMQ_EVENT_ACCEPTED: self = .accepted
        case ZMQ_EVENT_ACCEPT_FAILED: self = .acceptFailed(Int32(truncatingIfNeeded: value))
        case ZMQ_EVENT_CLOSED: self = .closed
        case ZMQ_EVENT_DISCONNECTED: self = .disconnected
        case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: self = .handshakeSucceeded
        case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL:
            self = .handshakeFailed(.system(Int32(truncatingIfNeeded: value)))
        case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL: self = .handshakeFailed(.protocol(value))
        case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH: self = .handshakeFailed(.authentication(value))
        case ZMQ_EVENT_MONITOR_STOPPED: self = .monitorStopped
        default: return nil
        }
    }
}
