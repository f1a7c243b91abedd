import Client
import Operations
import Wire

/// Asks for the same change of one or more queues, one after the other.
struct QueueChanges {
    private let names: [String]
    private let connection: ClientConnection

    init(of names: [String], on connection: ClientConnection) {
        self.names = names
        self.connection = connection
    }

    /// What sentences call them: `the queue "images"`, `the queues`.
    var subject: String { names.count == 1 ? "the queue \"\(names[0])\"" : "the queues" }

    /// What sentences call those of them that were changed: `the queue "images"`, `2 queues`.
    func changed(_ report: ChangeReport) -> String {
        names.count == 1 ? subject : report.changed == 1 ? "one queue" : "\(report.changed) queues"
    }

    /// Refuses where one of several queues does not exist, before any of them is changed; a single one is refused by the
    /// change itself.
    func checkExistence() async throws {
        guard names.count > 1 else { return }
        for name in names { _ = try await connection.document(.queue(name), timeout: GlobalOptions.answerTimeout) }
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
