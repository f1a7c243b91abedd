@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// Requests the same change for one or more queues, in turn.
struct QueueChanges {
    private let names: [String]
    private let connection: ClientConnection

    init(of names: [String], on connection: ClientConnection) {
        self.names = names
        self.connection = connection
    }

    /// The queues as the subject of a sentence: `the queue "images"`, `the queues`.
    var subject: String { names.count == 1 ? "the queue \"\(names[0].asShown)\"" : "the queues" }

    /// The changed queues in a sentence: `the queue "images"`, `2 queues`.
    func changed(_ report: ChangeReport) -> String {
        names.count == 1 ? subject : report.changed == 1 ? "one queue" : "\(report.changed) queues"
    }

    /// Throws an error if a queue does not exist, before any queue is changed; the error suggests a similar name.
    ///
    /// - Parameter advice: the remedy if the name is correct.
    func checkExistence(_ advice: (String) -> String = { _ in Advice.queues }) async throws {
        let bytes = try await connection.document(.queues, timeout: GlobalOptions.answerTimeout)
        let known = try DocumentReader.exact(QueueListDocument.self, from: bytes).queues.map(\.queue)
        for name in names where !known.contains(name) {
            let meant = NearestName.suggestion(for: name, among: known).map { " Did you mean \"\($0.asShown)\"?" } ?? ""
            let refusal = Refusal(.notFound, "There is no queue \"\(name.asShown)\".\(meant)")
            throw CommandFailure(refusal, advice: advice(name))
        }
    }

    /// Requests the changes.
    ///
    /// - Returns: the sum of all reports.
    func perform(_ request: (String) -> Request) async throws -> ChangeReport {
        var sum = ChangeReport(changed: 0)
        for name in names {
            let report = try await connection.change(request(name), timeout: GlobalOptions.answerTimeout)
            sum.changed += report.changed
            sum.notes += report.notes
            for worker in report.unanswered where !sum.unanswered.contains(worker) { sum.unanswered.append(worker) }
        }
        return sum
    }
}
