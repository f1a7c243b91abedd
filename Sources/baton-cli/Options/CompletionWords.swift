@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The words that complete a command line, as the coordinator knows them now.
struct CompletionWords {
    /// More words would not help anybody.
    private static let most = 200
    private static let longestDescription = 60

    private let connection: ClientConnection

    init(on connection: ClientConnection) {
        self.connection = connection
    }

    /// The lines for a completion script: a word, a tab and a description.
    ///
    /// - Parameter beginning: what the user has typed of the word.
    func lines(of subject: CompletionSubject, beginning: String) async throws -> [String] {
        let words: [(word: String, description: String)] =
            switch subject {
            case .queues: try await queues()
            case .workers: try await workers()
            case .schedules: try await schedules()
            case .jobs: try await jobs()
            case .addresses, .dependencies:
                if let slash = beginning.lastIndex(of: "/") {
                    try await operations(of: String(beginning[..<slash]), beginning[beginning.index(after: slash)...])
                } else {
                    try await jobs().filter { subject == .addresses || $0.0.first?.isNumber == true }
                }
            }
        return words.filter { $0.word.hasPrefix(beginning) }.prefix(Self.most).map { word, description in
            "\(word.printable)\t\(String(description.printable.prefix(Self.longestDescription)))"
        }
    }

    private func queues() async throws -> [(String, String)] {
        let list = try DocumentReader.read(QueueListDocument.self, from: try await connection.document(.queues))
        return list.queues.map { queue in
            (queue.queue, queue.suspended ? "suspended" : "\(queue.count) unfinished")
        }
    }

    private func workers() async throws -> [(String, String)] {
        let list = try DocumentReader.read(WorkersDocument.self, from: try await connection.document(.workers))
        return list.workers.map { ($0.worker, "\($0.state), on \($0.host)") }
    }

    private func schedules() async throws -> [(String, String)] {
        let document = try await connection.document(.schedules)
        let list = try DocumentReader.read(ScheduleListDocument.self, from: document)
        return list.schedules.map { ($0.schedule, $0.paused ? "paused" : "\($0.cron) (\($0.timeZone))") }
    }

    /// The newest jobs by number, then by name, and the word for the newest of all.
    private func jobs() async throws -> [(String, String)] {
        let page = try await connection.document(.jobs(before: nil, limit: UInt32(Self.most)))
        let jobs = try DocumentReader.read(JobListDocument.self, from: page).jobs
        func text(_ job: JobListDocument.Job) -> String {
            let label = job.name ?? job.command?.joined(separator: " ") ?? "\(job.counts.total) operations"
            return "\(job.outcome?.description ?? job.state.description): \(label)"
        }
        var seen: Set<String> = []
        let named = jobs.compactMap { job -> (String, String)? in
            guard let name = job.name, seen.insert(name).inserted else { return nil }
            return (name, "job \(job.job), \(job.outcome?.description ?? job.state.description)")
        }
        return jobs.map { ($0.job.description, text($0)) } + named + (jobs.isEmpty ? [] : [("last", "the newest job")])
    }

    /// The operations of a job, by name or index.
    private func operations(of job: String, _ beginning: Substring) async throws -> [(String, String)] {
        guard let pattern = AddressPattern(job), pattern.part == .all else { return [] }
        let number = try await AddressResolver(on: connection).number(of: pattern.job)
        let page = try await connection.document(.names(number, matching: nil, from: 0))
        let names = try DocumentReader.read(NamesDocument.self, from: page).names
        let named = names.map { entry in
            ("\(job)/\(entry.name)", entry.count > 1 ? "array of \(entry.count)" : "operation \(entry.first)")
        }
        guard named.isEmpty || beginning.first?.isNumber == true else { return named }
        let operations = try await connection.document(.job(number, from: 0, limit: UInt32(Self.most)))
        return try DocumentReader.read(JobDocument.self, from: operations).operations.map { operation in
            let label = operation.item ?? operation.command?.joined(separator: " ") ?? operation.name ?? ""
            return (
                "\(job)/\(operation.operation.index)",
                "\(operation.outcome?.description ?? operation.state.description): \(label)"
            )
        }
    }
}
