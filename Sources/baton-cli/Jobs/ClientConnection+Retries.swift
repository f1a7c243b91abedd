@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

extension ClientConnection {
    /// A sentence about the last retry of a job; nil for a job that was not retried.
    func sentence(aboutRetriesOf job: JobNumber) async throws -> String? {
        try await head(of: job).sentenceAboutRetries
    }

    /// The document of a job without its operations.
    func head(of job: JobNumber) async throws -> JobDocument {
        let bytes = try await document(.job(job, from: 0, limit: 0), timeout: GlobalOptions.answerTimeout)
        return try DocumentReader.read(JobDocument.self, from: bytes)
    }
}

extension JobDocument {
    /// A sentence about the last retry; nil for a job that was not retried.
    var sentenceAboutRetries: String? {
        retries.last.map { "Job \(job) was retried already, as \($0.text)." }
    }
}
