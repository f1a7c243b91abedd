@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

/// A column of the list of jobs.
enum JobColumn: String, TableColumn {
    case job, name, queue, state, done, elapsed, submitted, counts, retry, tags, by

    /// The most columns for the command of a job without a name, which may have megabytes: its end, which tells a compiler's files.
    private static let longestCommand = 100

    var column: TextTable.Column {
        switch self {
        case .job: .init("JOB", alignment: .right)
        case .name: .init("NAME", isFlexible: true)
        case .queue: .init("QUEUE", isFlexible: true)
        case .state: .init("STATE")
        case .done: .init("DONE", alignment: .right)
        case .elapsed: .init("ELAPSED", alignment: .right)
        case .submitted: .init("SUBMITTED")
        case .counts: .init("COUNTS", isFlexible: true)
        case .retry: .init("RETRY", isFlexible: true)
        case .tags: .init("TAGS", isFlexible: true)
        case .by: .init("BY", isFlexible: true)
        }
    }

    func isOfInterest(to row: Dated<JobListDocument.Job>) -> Bool {
        let job = row.document
        return switch self {
        case .queue: job.queue != Submission.defaultQueue
        case .retry: job.retryOf != nil || !job.retriedAs.isEmpty
        case .tags, .by: false
        case .job, .name, .state, .done, .elapsed, .submitted, .counts: true
        }
    }

    func cell(of row: Dated<JobListDocument.Job>) -> TextTable.Cell {
        let job = row.document
        return switch self {
        case .job: .init(job.job.description)
        case .name:
            .init(job.name?.asShown ?? job.command.map(Self.text(of:)) ?? "-", keepsEnd: job.name == nil)
        case .queue: .init(job.queue?.asShown ?? "-")
        case .state:
            .init(
                (job.outcome?.description ?? job.state.description) + (job.open ? ", open" : ""),
                // What a retry has done needs nobody's attention.
                tone: job.retries.last?.outcome == .succeeded ? nil : .of(job.state, job.outcome, job.counts)
            )
        case .done: .init("\(job.counts.finished)/\(job.counts.total)")
        case .elapsed: .init(((job.finishedAt ?? row.present) - job.submittedAt).roughText)
        case .submitted: .init(job.submittedAt.localText)
        case .counts: .init(job.counts.failuresFirst)
        case .retry: .init(Self.retries(of: job))
        case .tags: .init(JobTag.text(of: job.tags) ?? "-")
        case .by: .init(job.by?.asShown ?? "-")
        }
    }

    private static func text(of command: [String]) -> String {
        var words: [String] = []
        var length = 0
        for word in command.reversed() where length <= longestCommand {
            words.append(String(word.suffix(longestCommand + 1)))
            length += words[words.count - 1].count + 1
        }
        return TextWidth.shortenedInFront(OperationText.commandLine(words.reversed()), to: longestCommand)
    }

    /// The place of a job in a chain of retries: `retry of 12; retried as 14: succeeded`.
    private static func retries(of job: JobListDocument.Job) -> String {
        var parts = job.retryOf.map { ["retry of \($0)"] } ?? []
        if !job.retries.isEmpty { parts.append("retried as " + job.retries.map(\.text).joined(separator: ", ")) }
        return parts.isEmpty ? "-" : parts.joined(separator: "; ")
    }
}
