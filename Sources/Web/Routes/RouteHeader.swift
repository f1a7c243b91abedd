@_spi(Baton) import BatonDocuments

/// A header that requests to a single route, its answers, or refusals may have, such as `Idempotency-Key`.
struct RouteHeader: Hashable, Sendable {
    /// The name.
    let name: String
    /// What the header does or says, in a sentence.
    let meaning: String
    /// The form of the value.
    let schema: Schema
}

/// The headers that routes read.
extension RouteHeader {
    /// Makes a repeated submission safe.
    static let idempotencyKey = RouteHeader(
        name: "Idempotency-Key",
        meaning: "Makes a repeated request safe: it answers with the job of the first one.",
        schema: .text
    )
    /// The last event that a client has seen.
    static let lastEventID = RouteHeader(
        name: "Last-Event-ID",
        meaning: "The id of the last event that is known: the stream goes on behind it.",
        schema: .text
    )
    /// The part that a client wants.
    static let range = RouteHeader(
        name: "Range",
        meaning:
            "The part that is wanted, such as bytes=0-1023, bytes=1024- or bytes=-512; of several parts all is answered.",
        schema: .text
    )
    /// The version of which a client wants a part.
    static let ifRange = RouteHeader(
        name: "If-Range",
        meaning: "The ETag of which a part is wanted: another version is answered in whole.",
        schema: .text
    )
    /// The versions that a client has.
    static let ifNoneMatch = RouteHeader(
        name: "If-None-Match",
        meaning: "The ETag that the client has: the answer to the same is 304, without the bytes.",
        schema: .text
    )
}

/// The headers that answers of routes have, besides those of every answer.
extension RouteHeader {
    /// Where the job is that was made.
    static let location = RouteHeader(name: "Location", meaning: "The address of the new job.", schema: .text)
    /// The place of a piece of an output.
    static let logOffset = RouteHeader(
        name: "Baton-Log-Offset",
        meaning: "The place of the first byte of the piece in the output.",
        schema: .unsigned
    )
    /// The length of an output of which a piece is answered.
    static let logLength = RouteHeader(
        name: "Baton-Log-Length",
        meaning: "The number of bytes of the whole output so far.",
        schema: .unsigned
    )
    /// The place of a piece behind bytes that are gone.
    static let contentRange = RouteHeader(
        name: "Content-Range",
        meaning: "The place of the piece in the whole output.",
        schema: .text
    )
    /// The name of a file for browsers.
    static let disposition = RouteHeader(
        name: "Content-Disposition",
        meaning: "That a browser saves the answer, and the name of the file.",
        schema: .text
    )
    /// The version of a file.
    static let tag = RouteHeader(
        name: "ETag",
        meaning: "The version of the file, for the header If-None-Match of a later request.",
        schema: .text
    )
    /// That parts can be had.
    static let acceptRanges = RouteHeader(
        name: "Accept-Ranges",
        meaning: "That the header Range can name a part, in bytes.",
        schema: .text
    )

    /// The headers that refusals may have.
    static let ofRefusals = [
        RouteHeader(
            name: "Retry-After",
            meaning: "In how many seconds a repeated request may be answered; of refusals with 429 and some with 503.",
            schema: .unsigned
        ),
        RouteHeader(
            name: "WWW-Authenticate",
            meaning: "That the request needs a token; of refusals with 401.",
            schema: .text
        ),
        RouteHeader(
            name: "Allow",
            meaning: "The methods that the address takes; of refusals with 405.",
            schema: .text
        ),
        RouteHeader(
            name: "Content-Range",
            meaning: "The number of bytes of the file; of refusals with 416.",
            schema: .text
        ),
    ]
}

extension HTTPHeaders {
    /// Adds a header that the route declares.
    mutating func add(_ header: RouteHeader, _ value: String) { add(header.name, value) }
}
