/// Answers the requests of an ``HTTPServer``.
///
/// The methods that do not wait are called on the one thread that serves all connections, and so they must be fast, and must not
/// stop the server.
@_spi(Baton) public protocol HTTPHandler: Sendable {
    /// The answer to a request that is refused before its body is read; nil to read the body.
    func refusal(of head: HTTPRequestHead) -> HTTPResponse?

    /// Whether an accepted request shows its sender, so that its connection is never closed to make room; by default every request
    /// does.
    func knowsSender(of head: HTTPRequestHead) -> Bool

    /// The most bytes of a request's body; a larger body is answered with 413.
    func mostBodyBytes(for head: HTTPRequestHead) -> Int

    /// Answers a request.
    ///
    /// The task is cancelled when its client has left, or when the server stops; its answer is then of no interest.
    func respond(to request: HTTPRequest) async -> HTTPResponse

    /// The answer to a request that the server itself refuses, which may have no head; by default one of plain text.
    func response(to failure: HTTPFailure) -> HTTPResponse
}

@_spi(Baton) extension HTTPHandler {
    /// Knows every sender.
    public func knowsSender(of head: HTTPRequestHead) -> Bool { true }

    /// Answers with one sentence as plain text.
    public func response(to failure: HTTPFailure) -> HTTPResponse { HTTPResponse(failure) }
}
