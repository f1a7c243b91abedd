@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The failures of a job in short form, for the user of `run` and `wait`.
struct FailureReport {
    /// The maximum number of groups, and of lines from the end of standard error in each.
    private static let mostGroups: UInt32 = 5
    private static let linesOfEach = 20

    private let job: JobNumber
    private let connection: ClientConnection
    /// Whether the coordinator can be asked for more afterwards.
    private let isLasting: Bool

    init(of job: JobNumber, on connection: ClientConnection, isLasting: Bool = true) {
        self.job = job
        self.connection = connection
        self.isLasting = isLasting
    }

    /// Writes the groups of failures to standard error, and the command that shows more; nothing without a failure.
    ///
    /// If the coordinator refuses to tell, as of a job that was deleted meanwhile, the report is left out.
    func write() async throws {
        let bytes: [UInt8]
        do throws(ClientError) {
            bytes = try await connection.document(
                .failures(job, limit: Self.mostGroups),
                timeout: GlobalOptions.answerTimeout
            )
        } catch {
            guard error.code == .refused else { throw error }
            return
        }
        let document = try DocumentReader.read(FailuresDocument.self, from: bytes)
        guard !document.failures.isEmpty else { return }
        let text = FailureText(document: document, mostLines: Self.linesOfEach, width: Terminal.width)
        for line in text.shortLines { Output.note(line) }
        if isLasting, let advice = advice(on: document) { Output.note(advice) }
    }

    /// Where to see more, if there is more.
    private func advice(on document: FailuresDocument) -> String? {
        let shown = document.failures.reduce(0) { $0 + ($1.count == 1 ? 1 : 0) }
        guard document.more > 0 || document.counts.failed > shown else { return nil }
        return "See \"baton failures \(job)\", which also says how to retry each kind of failure."
    }
}
