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
}
