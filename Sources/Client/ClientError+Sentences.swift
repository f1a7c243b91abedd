@_spi(Baton) public import BatonKeys
@_spi(Baton) public import BatonOperations
@_spi(Baton) public import BatonWire
@_spi(Baton) import BatonZeroMQ

/// One function or constant for each code, with the sentence.
@_spi(Baton) extension ClientError {
    /// The coordinator's address, or one of several, is malformed.
    public static func invalidEndpoint(_ endpoint: String) -> ClientError {
        let advice = EndpointList.advice(on: endpoint).map { ": \($0)" } ?? "."
        return ClientError(
            .invalidEndpoint,
            "\"\(endpoint.asShown)\" is not the address of a coordinator\(advice)",
            endpoint: endpoint
        )
    }

    /// The address contains a host name that does not resolve.
    public static func unknownHost(_ host: String, endpoint: String) -> ClientError {
        ClientError(.unknownHost, "The host \"\(host)\" of \(endpoint) is unknown.", endpoint: endpoint)
    }

    /// The resolver of names has not answered in time.
    static func unresolved(_ host: String, endpoint: String, after time: Duration) -> ClientError {
        ClientError(
            .unknownHost,
            "The host \"\(host)\" of \(endpoint) has not been resolved within \(time.text). See whether this host reaches a "
                + "name server.",
            endpoint: endpoint
        )
    }

    /// No process listens at the address.
    public static func unreachable(_ endpoint: String) -> ClientError {
        ClientError(.unreachable, "No coordinator answers at \(endpoint).", endpoint: endpoint)
    }

    /// Nobody listens at the address, or its host does not exist.
    ///
    /// The resolver of names may take seconds.
    static func absent(_ endpoint: String) -> ClientError {
        guard let probe = ServerProbe(endpoint), probe.addresses.isEmpty else { return unreachable(endpoint) }
        return unknownHost(probe.host, endpoint: endpoint)
    }

    /// The client has no key for the coordinator, or no usable one.
    public static func key(_ error: KeyError, endpoint: String) -> ClientError {
        var result = ClientError(.key, error.message, endpoint: endpoint)
        result.keyError = error
        return result
    }

    /// The process that listens at the address does not answer as a coordinator does.
    public static func notCoordinator(_ endpoint: String) -> ClientError {
        ClientError(
            .notCoordinator,
            "The process that listens at \(endpoint) does not answer like a coordinator. A coordinator that has just started "
                + "reads its record first, and one without free file descriptors reports that in its log.",
            endpoint: endpoint
        )
    }

    /// The process that listens at the address accepts connections, and sends nothing.
    public static func silent(_ endpoint: String) -> ClientError {
        ClientError(
            .silent,
            "The process that listens at \(endpoint) accepts connections, and says nothing: it is stopped or overloaded, it has just "
                + "started and reads its record, or it is no coordinator.",
            endpoint: endpoint
        )
    }

    /// The keys of the two sides do not let the client in.
    public static func notAdmitted(_ obstacle: KeyObstacle, endpoint: String) -> ClientError {
        ClientError(
            obstacle == .refused ? .keyRefused : .keyMismatch,
            obstacle.sentence(about: endpoint),
            endpoint: endpoint
        )
    }

    /// The coordinator went away and did not come back within the time.
    public static func lost(_ endpoint: String, after time: Duration) -> ClientError {
        ClientError(
            .lost,
            "The coordinator at \(endpoint) became unreachable and did not return within \(time.text). Start it again on "
                + "the same store, and repeat the request: no submitted operation is lost.",
            endpoint: endpoint
        )
    }

    /// The coordinator accepts connections, and has said nothing within the time.
    static func unanswering(_ endpoint: String, after time: Duration) -> ClientError {
        ClientError(
            .lost,
            "The coordinator at \(endpoint) accepts connections, and has not answered within \(time.text): it reads its record "
                + "after a start, or is stopped or overloaded. See its log, and repeat the request: no submitted operation is lost.",
            endpoint: endpoint
        )
    }

    /// The reply did not come within the caller's timeout.
    public static func timedOut(_ endpoint: String, after time: Duration) -> ClientError {
        ClientError(
            .timedOut,
            "The coordinator at \(endpoint) did not answer within \(time.text). Repeat the request, or see its log.",
            endpoint: endpoint
        )
    }

    /// A request that must not be sent twice was sent, and its reply was lost or late.
    public static func submissionUnanswered(_ endpoint: String) -> ClientError {
        ClientError(
            .submissionUnanswered,
            "The coordinator at \(endpoint) became unreachable before it answered: the submission may or may not have been "
                + "accepted.",
            endpoint: endpoint
        )
    }

    /// The request is longer than the longest message.
    public static func tooLarge(_ length: Int) -> ClientError {
        ClientError(.tooLarge, "The request has \(length) bytes, more than a message may have. Split the submission.")
    }

    /// The coordinator refused the hello, or a request.
    ///
    /// - Parameter request: the refused request; nil for the hello.
    public static func refused(_ refusal: Refusal, _ request: Request? = nil) -> ClientError {
        var error = ClientError(.refused, refusal.message)
        error.refusal = refusal
        error.request = request
        return error
    }

    /// The coordinator's reply is malformed or of another kind than the request.
    public static func malformedReply(_ sentence: String) -> ClientError {
        ClientError(.malformedReply, "The coordinator's answer cannot be read: \(sentence)")
    }

    /// The system has no thread, descriptor or socket left for the connection.
    public static func system(_ sentence: String) -> ClientError {
        ClientError(.system, sentence)
    }

    /// The owner closed the connection.
    public static let closed = ClientError(.closed, "The connection to the coordinator has been closed.")

    /// The task that sent the request was cancelled.
    public static let cancelled = ClientError(.cancelled, "The request was cancelled.")
}
