/// The reason why the server itself refuses a request.
@_spi(Baton) public struct HTTPFailure: Error, Hashable, Sendable {
    /// The status code of the answer.
    public var status: Int
    /// One sentence for the client.
    public var message: String

    /// Creates a failure.
    public init(_ status: Int, _ message: String) {
        self.status = status
        self.message = message
    }

    static func bodyTooLarge(most: Int) -> HTTPFailure {
        HTTPFailure(413, "The body of this request may have at most \(most) bytes.")
    }

    static let bodiesTooLarge = HTTPFailure(
        503,
        "The server has no room for the body of this request. Try again later."
    )

    static func headersTooLarge(most: Int) -> HTTPFailure {
        HTTPFailure(431, "The headers of a request may have at most \(most) bytes.")
    }

    static let tooSlow = HTTPFailure(408, "The request did not arrive in time.")
    static let stopping = HTTPFailure(503, "The server stops.")
    static let unsendable = HTTPFailure(500, "The answer has a malformed header.")
}
