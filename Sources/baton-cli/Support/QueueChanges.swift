import BatonArguments
import BatonClient
import BatonDocuments
import BatonOperations
import BatonWire

/// Asks for the same change of one or more queues, one after the other.
struct QueueChanges {
    private let names: [String]
    private let connection: ClientConnection

    init(of names: [String], on connection: ClientConnection) {
        self.names = names
        self.connection = connection
    }

    /// What sentences call them: `the queue "images"`, `the queues`.
    var subject: String { names.count == 1 ? "the queue \"\(names[0].asShown)\"" : "the queues" }

    /// What sentences call those of them that were changed: `the queue "images"`, `2 queues`.
    func changed(_ report: ChangeReport) -> String {
        names.count == 1 ? subject : report.changed == 1 ? "one queue" : "\(report.changed) queues"
    }

    /// Refuses where one of the queues does not exist, before any of them is changed, and names the one that may be meant.
    ///
    /// - Parameter advice: what to do where the name is right.
    func checkExistence(_ advice: (String) -> String = { _ in "See \"baton queue list\"." }) async throws {
        let bytes = try await connection.document(.queues, timeout: GlobalOptions.answerTimeout)
        let known = try DocumentReader.read(QueueListDocument.self, from: bytes).queues.map(\.queue)
        for name in names where !known.contains(name) {
            let meant = NearestName.suggestion(for: name, among: known).map { " Did you mean \"\($0.asShown)\"?" } ?? ""
            throw Refusal(.notFound, "There is no queue \"\(name.asShown)\".\(meant) \(advice(name))")
        }
    }

    /// Asks for the changes.
    ///
    /// - Returns: what became of all of them together.
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
