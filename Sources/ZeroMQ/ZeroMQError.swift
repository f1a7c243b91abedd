import CBatonZeroMQ

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A call of libzmq, or of the system beneath it, that failed.
///
/// What a peer can bring about (a full queue, a peer that is gone, a message of the wrong form) is a result of the
/// function concerned, not an error; an error means that the caller has to change something or to stop.
public struct ZeroMQError: Error, Equatable, Hashable, Sendable {
    /// The `errno` of the failure, libzmq's own numbers (such as `ETERM`) included.
    public let code: Int32
    /// The C function that failed, such as `zmq_bind`.
    public let call: String
    /// What it was applied to (an endpoint, an option), if there is such a thing.
    public let subject: String?

    /// An error with a code that is known already.
    public init(code: Int32, call: String, subject: String? = nil) {
        self.code = code
        self.call = call
        self.subject = subject
    }

    /// The error which the calling thread's last failed call of libzmq left.
    static func last(_ call: String, _ subject: String? = nil) -> ZeroMQError {
        ZeroMQError(code: zmq_errno(), call: call, subject: subject)
    }

    /// The error which the calling thread's last failed system call left.
    static func lastOfSystem(_ call: String) -> ZeroMQError {
        ZeroMQError(code: errno, call: call)
    }
}
