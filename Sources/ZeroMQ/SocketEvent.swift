import CBatonZeroMQ

/// Something that happened to a connection of a monitored socket; see zmq_socket_monitor(3).
public struct SocketEvent: Equatable, Sendable {
    /// What happened.
    public enum Kind: Equatable, Sendable {
        /// A TCP connection is made; the handshake follows.
        case connected
        /// A connection is being made; the answer is awaited.
        case connectDelayed
        /// A connection could not be made (refused, timed out, no such host) or was lost, and is tried again after the
        /// pause. Without a `connected` before, nobody listens there.
        case connectRetried(after: Duration)
        /// A peer has connected to the bound socket.
        case accepted
        /// A peer could not be accepted; with the errno.
        case acceptFailed(Int32)
        /// A descriptor was closed; after a failed attempt to connect, for instance.
        case closed
        /// A connection ended without being asked to.
        case disconnected
        /// Both ends speak the same protocol and are content with each other.
        case handshakeSucceeded
        /// The other end speaks something else or went away during the handshake.
        case handshakeFailed(HandshakeFailure)
        /// No event follows: the monitored socket is closed.
        case monitorStopped
    }

    /// Why a handshake failed.
    public enum HandshakeFailure: Equatable, Sendable {
        /// The system's errno: the peer went away, as a rule.
        case system(Int32)
        /// libzmq's number for a violation of the protocol (`ZMQ_PROTOCOL_ERROR_...`).
        case `protocol`(UInt32)
        /// The status with which the peer was refused: 300, 400 or 500.
        case authentication(UInt32)
    }

    /// What happened.
    public let kind: Kind
    /// The endpoint that was bound or connected.
    public let endpoint: String
}

extension SocketEvent.Kind {
    /// The events that are asked for: all but those whose outcome the caller of a function has been told.
    static var mask: Int32 {
        ZMQ_EVENT_CONNECTED | ZMQ_EVENT_CONNECT_DELAYED | ZMQ_EVENT_CONNECT_RETRIED | ZMQ_EVENT_ACCEPTED
            | ZMQ_EVENT_ACCEPT_FAILED | ZMQ_EVENT_CLOSED | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_MONITOR_STOPPED
            | ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL
            | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH
    }

    /// The meaning of libzmq's number and value, or nil for an event that was not asked for.
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
