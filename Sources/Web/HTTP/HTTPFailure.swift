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

    /// Refuses a body that is not sent as it is; nil if it is.
    init?(codingOf headers: HTTPHeaders) {
        let codings: [Substring] = headers.values(of: "Content-Encoding").flatMap { value in
            value.split { $0 == "," || $0 == " " || $0 == "\t" }
        }
        guard let coding = codings.first(where: { $0.lowercased() != "identity" }) else { return nil }
        let shown = coding.unicodeScalars.prefix(20).filter { $0.isASCII && $0.value > 0x20 }
        self.init(
            415,
            "The body of the request is encoded with \(String(String.UnicodeScalarView(shown))). Send it without an encoding."
        )
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

    static let cookiesTooLarge = HTTPFailure(431, "The request has too many cookies, or too long ones.")
    static let noHost = HTTPFailure(400, "The request has no header \"Host\".")
    static let ambiguous = HTTPFailure(
        400,
        "Readers understand a line of the request differently. Send each header as NAME:VALUE, without a space in front of the "
            + "colon, on a line of its own that ends with CR LF."
    )
    static let malformed = HTTPFailure(400, "The request is malformed.")
    static let tooSlow = HTTPFailure(408, "The request did not arrive in time.")
    static let stopping = HTTPFailure(503, "The server stops.")
    static let unsendable = HTTPFailure(500, "The answer has a malformed header.")
}
