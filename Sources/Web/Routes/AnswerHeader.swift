@_spi(Baton) import BatonDocuments

/// A header that answers of a route have, or that refusals may have, besides those of every answer.
struct AnswerHeader: Hashable, Sendable {
    /// The name.
    let name: String
    /// What the header says, in a sentence.
    let meaning: String
    /// The form of the value.
    let schema: Schema

    /// Where the job is that was made.
    static let location = AnswerHeader(name: "Location", meaning: "The address of the new job.", schema: .text)
    /// The place of a piece of an output.
    static let logOffset = AnswerHeader(
        name: "Baton-Log-Offset",
        meaning: "The place of the first byte of the piece in the output.",
        schema: .unsigned
    )
    /// The length of an output of which a piece is answered.
    static let logLength = AnswerHeader(
        name: "Baton-Log-Length",
        meaning: "The number of bytes of the whole output so far.",
        schema: .unsigned
    )
    /// The place of a piece behind bytes that are gone.
    static let contentRange = AnswerHeader(
        name: "Content-Range",
        meaning: "The place of the piece in the whole output.",
        schema: .text
    )
    /// The name of a file for browsers.
    static let disposition = AnswerHeader(
        name: "Content-Disposition",
        meaning: "That a browser saves the answer, and the name of the file.",
        schema: .text
    )
    /// The version of a file.
    static let tag = AnswerHeader(
        name: "ETag",
        meaning: "The version of the file, for the header If-None-Match of a later request.",
        schema: .text
    )

    /// That parts can be had.
    static let acceptRanges = AnswerHeader(
        name: "Accept-Ranges",
        meaning: "That the header Range can name a part, in bytes.",
        schema: .text
    )

    /// The headers that refusals may have.
    static let ofRefusals = [
        AnswerHeader(
            name: "Retry-After",
            meaning: "In how many seconds a repeated request may be answered; of refusals with 429 and some with 503.",
            schema: .unsigned
        ),
        AnswerHeader(
            name: "WWW-Authenticate",
            meaning: "That the request needs a token; of refusals with 401.",
            schema: .text
        ),
        AnswerHeader(
            name: "Allow",
            meaning: "The methods that the address takes; of refusals with 405.",
            schema: .text
        ),
        AnswerHeader(
            name: "Content-Range",
            meaning: "The number of bytes of the file; of refusals with 416.",
            schema: .text
        ),
    ]
}

extension HTTPHeaders {
    /// Adds a header that the route declares.
    mutating func add(_ header: AnswerHeader, _ value: String) { add(header.name, value) }
}
