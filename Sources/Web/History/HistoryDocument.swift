@_spi(Baton) import BatonOperations

/// A document that was made of a job's history.
struct HistoryDocument: Hashable, Sendable {
    /// What the document consists of.
    let kind: Route.Answer
    /// The document.
    let bytes: [UInt8]
    /// When the job was finished; nil for a document of an unfinished job, which ages.
    let finishedAt: Timestamp?

    init(_ kind: Route.Answer, _ bytes: [UInt8], finishedAt: Timestamp?) {
        self.kind = kind
        self.bytes = bytes
        self.finishedAt = finishedAt
    }

    /// The answer with the document.
    var response: HTTPResponse {
        let response = HTTPResponse(type: kind.type, bytes)
        return kind == .svg ? response.sandboxed : response
    }
}
