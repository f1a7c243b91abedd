import Client
import Documents
import Operations

/// Which operations of a job failed, for whoever ran it.
struct FailureReport {
    private static let longestList = 20

    private let job: JobNumber
    private let connection: ClientConnection

    init(of job: JobNumber, on connection: ClientConnection) {
        self.job = job
        self.connection = connection
    }

    /// Writes a line for each of them to standard error, or for the first ones of many.
    func write() async throws {
        var lines: [String] = []
        try await JobPages(of: job, on: connection).read { page in
            for operation in page.operations where operation.outcome == .failed {
                let name = operation.name.map { " (\($0.asShown))" } ?? ""
                lines.append("\(operation.operation)\(name): \(operation.message ?? "failed")")
            }
            return lines.count <= Self.longestList
        }
        for line in lines.prefix(Self.longestList) { Output.note(line) }
        if lines.count > Self.longestList { Output.note("There are more; see \"baton show \(job)\".") }
    }
}
