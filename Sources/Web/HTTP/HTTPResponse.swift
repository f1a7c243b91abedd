/// An answer.
@_spi(Baton) public struct HTTPResponse: Sendable {
    /// What follows the headers.
    public enum Body: Sendable {
        /// Bytes of a known count.
        case bytes([UInt8])
        /// Bytes as they come, until the stream ends.
        case stream(HTTPStream)
    }

    /// The status code.
    public var status: Int
    /// The headers; the server itself adds those for the date, the framing of the body and the connection.
    public var headers: HTTPHeaders
    /// What follows the headers; an answer to `HEAD` is sent without it.
    public var body: Body
    /// The number of bytes that a stream brings, for the client; nil if nobody knows it.
    ///
    /// A stream that ends before is cut off, and the client notices.
    public var length: UInt64?

    /// Creates an answer of bytes.
    public init(status: Int, headers: HTTPHeaders = [:], body: some Sequence<UInt8> = []) {
        self.status = status
        self.headers = headers
        self.body = .bytes(Array(body))
    }

    /// Creates an answer whose body a stream writes.
    public init(status: Int = 200, headers: HTTPHeaders, stream: HTTPStream) {
        self.status = status
        self.headers = headers
        body = .stream(stream)
    }

    /// Creates the plain answer to a request that the server refuses.
    public init(_ failure: HTTPFailure) {
        self.init(
            status: failure.status,
            headers: ["Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff"],
            body: (failure.message + "\n").utf8
        )
    }

    /// The answer to who wants a stream while too many are open.
    public static var tooManyStreams: HTTPResponse {
        var response = HTTPResponse(HTTPFailure(503, "Too many streams are open. Try again later."))
        response.headers.add("Retry-After", "10")
        return response
    }

    /// The stream that writes the body, if any.
    var stream: HTTPStream? {
        if case .stream(let stream) = body { stream } else { nil }
    }
}
