@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTelemetry
@_spi(Baton) import BatonWire

/// A run of `baton otlp`: reads what is new, has it posted, and only then goes on to later events.
struct SpanExport {
    /// The maximum wait of one request for events; the next request follows at once.
    private static let patience = Duration.seconds(30)
    /// The number of jobs of one request for the list of all jobs.
    private static let jobsOfPage: UInt32 = 1000

    private let connection: ClientConnection
    private let job: JobNumber?
    private let isJSON: Bool
    private let isQuiet: Bool
    private var reader: JobSpanReader
    private(set) var exporter: SpanExporter
    /// The number of the last event whose spans the receiver has; nil before the first.
    private(set) var position: UInt64?
    /// The spans that the receiver had taken and refused at the last document.
    private var told = (accepted: 0, rejected: 0)

    init(_ exporter: SpanExporter, of job: JobNumber?, on connection: ClientConnection, isJSON: Bool, isQuiet: Bool) {
        self.exporter = exporter
        self.job = job
        self.connection = connection
        self.isJSON = isJSON
        self.isQuiet = isQuiet
        reader = JobSpanReader(on: connection)
    }

    /// Exports the spans of past events, and those of new events until the command is ended.
    ///
    /// - Parameters:
    ///   - since: the number of the event to start after; nil for all jobs of the record, or for the events that come.
    ///   - once: whether the export ends when it has caught up.
    mutating func run(since: UInt64?, once: Bool) async throws {
        // Of a job that is finished before, no event comes after the newest one.
        let isOver = if let job, since != nil { try await isFinished(job) } else { false }
        let newest = try await connection.events(since: nil, atMost: .zero, timeout: GlobalOptions.answerTimeout).last
        if let since, since > newest {
            throw CommandFailure(
                ExitStatus.refusedInput,
                code: "invalid",
                "Event \(since) has not happened: the last event of this coordinator has number \(newest).",
                advice: "If the coordinator has another record than before, leave out --since, or give 0."
            )
        }
        if let since {
            position = since
            return try await follow(until: once || isOver ? newest : nil)
        }
        // The histories are read after the number of the event, so that no change falls between them and the events that follow.
        var hasAll = once
        if let job {
            let isFinished = try await export(job)
            hasAll = hasAll || isFinished
        } else if once {
            try await exportAll()
        }
        try await exporter.flush()
        try moved(to: newest)
        if !hasAll { try await follow(until: nil) }
    }

    private func isFinished(_ job: JobNumber) async throws -> Bool {
        let progress = try await connection.progress(
            of: [.job(job)],
            atMost: .zero,
            timeout: GlobalOptions.answerTimeout
        )
        return progress.isFinished
    }

    /// Exports the spans of events up to a number, or for ever.
    private mutating func follow(until end: UInt64?) async throws {
        let selection = job.map { EventSelection(jobs: [$0]) }
        while let last = position, end.map({ last < $0 }) ?? true {
            let page = try await connection.events(
                since: last,
                atMost: end == nil ? Self.patience : .zero,
                of: selection
            )
            if page.missed > 0 { try await exportMissed(page.missed) }
            var isOver = false
            for (job, change) in ChangedJobs(lines: page.lines).changes.sorted(by: { $0.key < $1.key }) {
                let operations = IndexRanges(change.operations)
                let isFinished = try await export(job, operations, hasRoot: change.isFinished)
                isOver = isOver || isFinished && change.isFinished && job == self.job
            }
            try await exporter.flush()
            try moved(to: page.last)
            if isOver || end != nil && page.last == last { return }
        }
    }

    /// Exports all that the record has, because nobody knows which jobs the missed events were about.
    private mutating func exportMissed(_ count: UInt64) async throws {
        if !isQuiet {
            Output.note(
                "\(count) event\(count == 1 ? " is" : "s are") no longer kept. The spans of "
                    + (job == nil ? "all jobs are exported again." : "the job are exported again.")
            )
        }
        if let job { _ = try await export(job) } else { try await exportAll() }
    }

    /// Exports the spans of all jobs, newest first.
    private mutating func exportAll() async throws {
        var before: JobNumber?
        repeat {
            let bytes = try await connection.document(
                .jobs(before: before, limit: Self.jobsOfPage, filter: ListFilter()),
                timeout: GlobalOptions.answerTimeout
            )
            let list = try DocumentReader.exact(JobListDocument.self, from: bytes)
            for job in list.jobs { _ = try await export(job.job) }
            before = list.next
        } while before != nil
    }

    /// Exports the spans of a job; returns whether the job is finished.
    private mutating func export(
        _ job: JobNumber,
        _ operations: IndexRanges = .all,
        hasRoot: Bool = true
    ) async throws -> Bool {
        var exporter = exporter
        defer { self.exporter = exporter }
        return try await reader.read(job, operations, hasRoot: hasRoot) { try await exporter.add($0) }
    }

    /// Notes that the receiver has the spans up to an event.
    private mutating func moved(to number: UInt64) throws {
        position = number
        let (accepted, rejected) = (exporter.accepted - told.accepted, exporter.rejected - told.rejected)
        guard isJSON, accepted + rejected > 0 else { return }
        told = (exporter.accepted, exporter.rejected)
        try Output.document(ExportDocument(seq: number, spans: accepted, rejected: rejected))
    }
}
