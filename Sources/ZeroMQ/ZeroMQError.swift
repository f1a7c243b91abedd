import CBatonZeroMQ

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A failed call of libzmq, or of the system beneath it.
///
/// Conditions that a peer can cause (a full queue, a peer that is gone, a message of the wrong form) are results of
/// the function concerned, not errors; an error means that the caller has to change something or to stop.
@_spi(Baton) public struct ZeroMQError: Error, Equatable, Hashable, Sendable {
    /// The `errno` of the failure, libzmq's own numbers (such as `ETERM`) included.
    public let code: Int32
    /// The C function that failed, such as `zmq_bind`.
    public let call: String
    /// The subject of the call (an endpoint, an option), if any.
    public let subject: String?

    /// Creates an error with a known code.
    public init(code: Int32, call: String, subject: String? = nil) {
        self.code = code
        self.call = call
        self.subject = subject
    }

    /// The error of the calling thread's last failed call of libzmq.
    static func last(_ call: String, _ subject: String? = nil) -> ZeroMQError {
        ZeroMQError(code: zmq_errno(), call: call, subject: subject)
    }

    /// The error of the calling thread's last failed system call.
    static func lastOfSystem(_ call: String) -> ZeroMQError {
        ZeroMQError(code: errno, call: call)
    }
}
