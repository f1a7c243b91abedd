@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// What finished jobs took together, for the end of a command that waited for them.
struct JobTimes {
    /// The most jobs that are asked about.
    private static let mostJobs = 20
    /// The most operations that a line for people names.
    private static let mostSlowest = 3
    /// The most operations that a document lists.
    private static let mostListed = 10

    /// The time from the first submission to the last end, in seconds.
    let elapsedSeconds: Double
    /// The run times of all attempts together, in seconds.
    let busySeconds: Double
    /// The operations that took the longest, the slowest first.
    let slowest: [SummaryDocument.OperationTime]
    /// The number of operations that have run.
    private let operations: Int

    /// Asks the coordinator; nil without jobs, for many jobs, and if the coordinator does not tell.
    init?(of jobs: [JobNumber], on connection: ClientConnection) async {
        guard (1...Self.mostJobs).contains(jobs.count) else { return nil }
        var summaries: [SummaryDocument] = []
        for job in jobs {
            guard
                let bytes = try? await connection.document(.summary(job), timeout: GlobalOptions.answerTimeout),
                let summary = try? DocumentReader.read(SummaryDocument.self, from: bytes)
            else { return nil }
            summaries.append(summary)
        }
        self.init(summaries)
    }

    private init?(_ summaries: [SummaryDocument]) {
        guard let first = summaries.map(\.submittedAt).min() else { return nil }
        let ends = summaries.map { $0.finishedAt ?? $0.submittedAt }
        elapsedSeconds = Double(max(0, ((ends.max() ?? first) - first).microseconds)) / 1e6
        busySeconds = summaries.reduce(0) { $0 + $1.busySeconds }
        operations = summaries.reduce(0) { $0 + $1.operations }
        slowest = Array(summaries.flatMap(\.slowest).sorted { $0.seconds > $1.seconds }.prefix(Self.mostListed))
    }

    /// The times in a line for people.
    ///
    /// An example is `Elapsed 9.0s, busy 17.5s. Slowest: 12/1 (join) 5.0s, 12/0 (fetch) 3.5s.`
    var line: String {
        var line = "Elapsed \(Self.text(elapsedSeconds))"
        guard operations > 0 else { return line + "." }
        line += ", busy \(Self.text(busySeconds))."
        guard operations > 1, !slowest.isEmpty else { return line }
        let named = slowest.prefix(Self.mostSlowest).map { operation in
            let name = operation.name.map { " (\($0.asShown))" } ?? ""
            return "\(operation.operation)\(name) \(Self.text(operation.seconds))"
        }
        return line + " Slowest: \(named.joined(separator: ", "))."
    }

    private static func text(_ seconds: Double) -> String { Duration.seconds(seconds).roughText }
}
