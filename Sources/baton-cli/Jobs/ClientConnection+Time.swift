@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

extension ClientConnection {
    /// The present time by the coordinator's clock, by which the times of jobs and operations are shown.
    ///
    /// The clock of this host may differ from it. A coordinator of an earlier version does not tell its time.
    func presentTime() async throws -> Timestamp {
        let bytes = try await document(.status, timeout: GlobalOptions.answerTimeout)
        return try DocumentReader.exact(StatusDocument.self, from: bytes).time ?? .now
    }
}

/// A document with the present time by the clock of its times.
struct Dated<Document> {
    let document: Document
    let present: Timestamp
}
