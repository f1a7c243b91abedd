@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

/// A header that a single route reads, such as `Idempotency-Key`.
struct HeaderParameter: Hashable, Sendable {
    /// The name.
    let name: String
    /// What the header does, in a sentence.
    let meaning: String
    /// The form of the value.
    let schema: Schema

    /// Makes a repeated submission safe.
    static let idempotencyKey = HeaderParameter(
        name: "Idempotency-Key",
        meaning: "Makes a repeated request safe: it answers with the job of the first one.",
        schema: .text
    )
    /// The last event that a client has seen.
    static let lastEventID = HeaderParameter(
        name: "Last-Event-ID",
        meaning: "The id of the last event that is known: the stream goes on behind it.",
        schema: .text
    )
    /// The part that a client wants.
    static let range = HeaderParameter(
        name: "Range",
        meaning:
            "The part that is wanted, such as bytes=0-1023, bytes=1024- or bytes=-512; of several parts all is answered.",
        schema: .text
    )
    /// The version of which a client wants a part.
    static let ifRange = HeaderParameter(
        name: "If-Range",
        meaning: "The ETag of which a part is wanted: another version is answered in whole.",
        schema: .text
    )
    /// The versions that a client has.
    static let ifNoneMatch = HeaderParameter(
        name: "If-None-Match",
        meaning: "The ETag that the client has: the answer to the same is 304, without the bytes.",
        schema: .text
    )
}
