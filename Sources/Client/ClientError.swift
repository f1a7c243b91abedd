public import BatonOperations

/// Why a request has no reply.
public enum ClientError: Error, Hashable, Sendable {
    /// The coordinator's address is malformed.
    case invalidEndpoint(String)
    /// The address contains a host name that does not resolve.
    case unknownHost(String, endpoint: String)
    /// No process listens at the address.
    case unreachable(String)
    /// The process that listens at the address does not answer as a coordinator does.
    case notCoordinator(String)
    /// The coordinator went away and did not come back within the time.
    case lost(String, after: Duration)
    /// The reply did not come within the caller's timeout.
    case timedOut(String, after: Duration)
    /// A request that must not be sent twice, such as a submission without a key, was sent, and its reply was lost or late.
    case submissionUnanswered(String)
    /// The request is longer than the longest message.
    case tooLarge(Int)
    /// The coordinator refused the hello or the request.
    case refused(Refusal)
    /// The coordinator's reply is malformed or of another kind than the request.
    case malformedReply(String)
    /// The system has no thread, descriptor or socket left for the connection.
    case system(String)
    /// The owner closed the connection.
    case closed
    /// The task that sent the request was cancelled.
    case cancelled
}

extension ClientError: CustomStringConvertible {
    /// The problem and its remedy, in a sentence or two.
    public var description: String {
        switch self {
        case .invalidEndpoint(let endpoint):
            "\"\(endpoint)\" is not the address of a coordinator. Write it like tcp://127.0.0.1:7461."
        case .unknownHost(let host, let endpoint):
            "The host \"\(host)\" of \(endpoint) is unknown. Check the name, or give another address with --coordinator or "
                + "BATON_COORDINATOR."
        case .unreachable(let endpoint):
            "No coordinator answers at \(endpoint). Start one with \"baton coordinator\", or name another with "
                + "--coordinator or BATON_COORDINATOR."
        case .notCoordinator(let endpoint):
            "The process that listens at \(endpoint) does not answer like a coordinator. Check the address, or give another with "
                + "--coordinator or BATON_COORDINATOR. A coordinator without free file descriptors reports that in its log."
        case .lost(let endpoint, let time):
            "The coordinator at \(endpoint) became unreachable and did not return within \(time.text). Start it again on "
                + "the same store, and repeat the request: no submitted operation is lost."
        case .timedOut(let endpoint, let time):
            "The coordinator at \(endpoint) did not answer within \(time.text). Repeat the request, or see its log."
        case .submissionUnanswered(let endpoint):
            "The coordinator at \(endpoint) became unreachable before it answered: the submission may or may not have been "
                + "accepted. Check with \"baton list\" before you submit again; with --key, submitting twice is safe."
        case .tooLarge(let length):
            "The request has \(length) bytes, more than a message may have. Split the submission."
        case .refused(let refusal): refusal.message
        case .malformedReply(let sentence): "The coordinator's answer cannot be read: \(sentence)"
        case .system(let sentence): sentence
        case .closed: "The connection to the coordinator has been closed."
        case .cancelled: "The request was cancelled."
        }
    }
}
