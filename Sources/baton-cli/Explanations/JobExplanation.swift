@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The explanation of a job with several operations: what holds the rest of it up.
struct JobExplanation {
    private let job: JobDocument
    private let bytes: [UInt8]
    private let waiting: WaitingDocument
    private let connection: ClientConnection

    /// Asks what holds a job up.
    ///
    /// - Returns: nil for a job whose only operation explains it.
    init?(of number: JobNumber, on connection: ClientConnection) async throws {
        self.connection = connection
        let timeout = GlobalOptions.answerTimeout
        job = try DocumentReader.read(
            JobDocument.self,
            from: await connection.document(.job(number, from: 0, limit: 1), timeout: timeout)
        )
        guard job.counts.total != 1 else { return nil }
        bytes = try await connection.document(.waiting(number), timeout: timeout)
        waiting = try DocumentReader.read(WaitingDocument.self, from: bytes)
    }

    /// Prints the reasons, or the coordinator's document.
    func show(asJSON isJSON: Bool) async throws {
        guard !isJSON else { return try Output.document(bytes) }
        var lines = [summary]
        var names = OperationNames(on: connection)
        for reason in waiting.reasons {
            let label = reason.count == 1 ? try await names.label(of: reason.operation) : "\(reason.operation)"
            let advice = Advice.about(reason).map { " \($0)" } ?? ""
            lines.append("- \(reason.message.naming(reason.operation, label))\(advice)")
        }
        if waiting.more > 0 {
            lines.append(waiting.more == 1 ? "- Another operation waits." : "- \(waiting.more) other operations wait.")
        }
        lines += (waiting.stopped ?? []).map { "- \(OperationText.line(about: $0)); it waits for SIGCONT." }
        lines += (waiting.paused ?? []).map { "- \(OperationText.line(about: $0))" }
        if let retried = job.sentenceAboutRetries { lines.append("- \(retried)") }
        try Output.line(lines.joined(separator: "\n"))
    }

    private var summary: String {
        let count = waiting.reasons.reduce(waiting.more) { $0 + $1.count }
        guard count == 0 else {
            return
                "\(count) of the \(job.counts.total) operations of job \(waiting.job) \(count == 1 ? "waits" : "wait")."
        }
        return job.counts.executing > 0
            ? "Nothing of job \(waiting.job) waits; what is not finished is executing."
            : "Job \(waiting.job) is \(job.open ? "open, and all its operations are finished" : "finished")."
    }
}
