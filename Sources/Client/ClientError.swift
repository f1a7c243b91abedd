public import BatonOperations

/// Why a request has no answer.
public enum ClientError: Error, Hashable, Sendable {
    /// The coordinator's address is not written as one.
    case invalidEndpoint(String)
    /// The address names a host that does not resolve.
    case unknownHost(String, endpoint: String)
    /// Nobody listens at the address.
    case unreachable(String)
    /// What listens at the address does not answer as a coordinator does.
    case notCoordinator(String)
    /// The coordinator went away, and did not come back in this time.
    case lost(String, after: Duration)
    /// The answer did not come in the time that the caller gave.
    case timedOut(String, after: Duration)
    /// A submission without a key, or another request that must not be sent twice, was sent, and the connection was lost
    /// before its answer came.
    case submissionUnanswered(String)
    /// The request is longer than a message may be.
    case tooLarge(Int)
    /// The coordinator refused the hello or the request.
    case refused(Refusal)
    /// The coordinator sent what is no answer to the request.
    case malformedReply(String)
    /// The system has no thread, descriptor or socket left for the connection.
    case system(String)
    /// The connection was closed by its owner.
    case closed
    /// The task that asked was cancelled.
    case cancelled
}

extension ClientError: CustomStringConvertible {
    /// What happened and what to do, in a sentence or two.
    public var description: String {
        switch self {
        case .invalidEndpoint(let endpoint):
            "\"\(endpoint)\" is not the address of a coordinator. Write it like tcp://127.0.0.1:7461."
        case .unknownHost(let host, let endpoint):
            "The host \"\(host)\" of \(endpoint) is not known. Check the name, or name another with --coordinator or "
                + "BATON_COORDINATOR."
        case .unreachable(let endpoint):
            "No coordinator answers at \(endpoint). Start one with \"baton coordinator\", or name another with "
                + "--coordinator or BATON_COORDINATOR."
        case .notCoordinator(let endpoint):
            "What listens at \(endpoint) does not answer as a coordinator does. Check the address, or name another with "
                + "--coordinator or BATON_COORDINATOR. A coordinator that has no descriptors left for connections says so in its log."
        case .lost(let endpoint, let time):
            "The coordinator at \(endpoint) went away and did not come back within \(time.text). Start it again on the "
                + "same store, and ask again: nothing is lost."
        case .timedOut(let endpoint, let time):
            "The coordinator at \(endpoint) did not answer within \(time.text). Ask again, or look at its log."
        case .submissionUnanswered(let endpoint):
            "The coordinator at \(endpoint) went away before it answered: the submission may or may not have been taken. "
                + "Look with \"baton list\" before you submit it again; with --key it could be sent twice safely."
        case .tooLarge(let length):
            "The request has \(length) bytes, more than a message may have. Split the submission."
        case .refused(let refusal): refusal.message
        case .malformedReply(let sentence): "The coordinator's answer cannot be read: \(sentence)"
        case .system(let sentence): sentence
        case .closed: "The connection to the coordinator has been closed."
        case .cancelled: "The request was given up."
        }
    }
}
