import CBatonZeroMQ

@_spi(Baton) extension ZeroMQError {
    /// The kinds of failure that a caller may want to distinguish.
    public enum Reason: Sendable {
        /// Another socket is bound to the address (`EADDRINUSE`).
        case addressInUse
        /// The host has no such address or interface, or a host name was given to bind (`EADDRNOTAVAIL`, `ENODEV`).
        case addressNotAvailable
        /// The endpoint has the wrong form for libzmq, or a transport unknown to libzmq.
        case invalidEndpoint
        /// The system denies the permission, for instance for a port below 1024 (`EACCES`, `EPERM`).
        case permissionDenied
        /// The call would have had to wait (`EAGAIN`).
        case wouldBlock
        /// The peer is unreachable (`EHOSTUNREACH`).
        case hostUnreachable
        /// The context is being terminated; the socket can only be closed (`ETERM`).
        case terminated
        /// A signal came first (`EINTR`).
        case interrupted
        /// The socket has been closed (`ENOTSOCK`).
        case closed
        /// The process has too many files or sockets open (`EMFILE`, `ENFILE`).
        case tooManyFiles
        /// Any other failure; see ``ZeroMQError/code``.
        case other
    }

    /// The kind of this failure.
    public var reason: Reason {
        switch code {
        case EADDRINUSE: .addressInUse
        case EADDRNOTAVAIL, ENODEV: .addressNotAvailable
        case EINVAL where isAboutEndpoint, EPROTONOSUPPORT, ENOCOMPATPROTO: .invalidEndpoint
        case EACCES, EPERM: .permissionDenied
        case EAGAIN: .wouldBlock
        case EHOSTUNREACH: .hostUnreachable
        case ETERM: .terminated
        case EINTR: .interrupted
        case ENOTSOCK: .closed
        case EMFILE, ENFILE: .tooManyFiles
        default: .other
        }
    }

    private var isAboutEndpoint: Bool { call == "zmq_bind" || call == "zmq_connect" }
}

@_spi(Baton) extension ZeroMQError: CustomStringConvertible {
    /// A sentence that tells the failure, its reason and, if known, the remedy.
    public var description: String {
        let action =
            switch call {
            case "zmq_bind": "listen at \(subject ?? "the endpoint")"
            case "zmq_connect": "connect to \(subject ?? "the endpoint")"
            case "zmq_setsockopt": "set the socket option \(subject ?? "")"
            case "zmq_ctx_set": "set the context option \(subject ?? "")"
            case "zmq_socket": "open a socket"
            default: subject.map { "call \(call) for \($0)" } ?? "call \(call)"
            }
        return "Cannot \(action): \(explanation)"
    }

    private var explanation: String {
        switch reason {
        case .addressInUse:
            "the address is in use. Choose another port, or stop the process that listens there."
        case .addressNotAvailable:
            "this host has no such address. Give an IP address of this host, or * for all of them."
        case .invalidEndpoint:
            "it is not a valid endpoint. Write it like tcp://127.0.0.1:7461."
        case .permissionDenied:
            "the system does not permit it. Ports below 1024 need privileges; choose another one."
        case .terminated:
            "the context has been terminated."
        case .closed:
            "the socket is closed."
        case .tooManyFiles:
            "too many files or sockets are open. Raise the limit (ulimit -n)."
        case .wouldBlock, .hostUnreachable, .interrupted, .other:
            "\(zmq_strerror(code).map { String(cString: $0) } ?? "error") (\(code))."
        }
    }
}
