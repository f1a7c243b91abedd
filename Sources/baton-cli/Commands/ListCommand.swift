@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton list`.
struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists jobs, newest first.",
        examples: [Example("baton list"), Example("baton list --limit 100 --json", "The newest hundred, for a script")]
    )

    private static let pageLength: UInt32 = 1000

    @Option(help: ArgumentHelp("Maximum number of jobs.", valueName: "n"))
    var limit: UInt32 = 20

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        if limit == 0 { throw ValidationError("List at least one job.") }
    }

    func run() async throws {
        let connection = try global.connect()
        if limit <= Self.pageLength, global.json {
            return try Output.document(try await page(before: nil, limit, connection))
        }
        var list = JobListDocument(jobs: [])
        repeat {
            let rest = min(limit - UInt32(list.jobs.count), Self.pageLength)
            let bytes = try await page(before: list.next, rest, connection)
            let page = try DocumentReader.read(JobListDocument.self, from: bytes)
            list.jobs += page.jobs
            list.next = page.next
        } while list.next != nil && list.jobs.count < limit
        if global.json { return try Output.document(list) }
        try show(list)
    }

    private func page(
        before job: JobNumber?,
        _ limit: UInt32,
        _ connection: ClientConnection
    ) async throws(ClientError) -> [UInt8] {
        try await connection.document(.jobs(before: job, limit: limit), timeout: GlobalOptions.answerTimeout)
    }

    private func show(_ list: JobListDocument) throws {
        guard !list.jobs.isEmpty else {
            if !global.quiet { Output.note("There are no jobs yet. Submit one with \"baton submit\".") }
            return
        }
        var table = TextTable([
            .init("JOB", alignment: .right), .init("NAME", isFlexible: true), .init("QUEUE", isFlexible: true),
            .init("STATE"), .init("DONE", alignment: .right), .init("SUBMITTED"), .init("COUNTS"),
        ])
        for job in list.jobs {
            table.append([
                .init(job.job.description), .init(job.name?.asShown ?? "-"), .init(job.queue?.asShown ?? "-"),
                .init(
                    (job.outcome?.description ?? job.state.description),
                    tone: .of(job.state, job.outcome, job.counts)
                ),
                .init("\(job.counts.finished)/\(job.counts.total)"), .init(job.submittedAt.localText),
                .init(job.counts.brief),
            ])
        }
        try Output.table(table)
        if list.next != nil, !global.quiet { Output.note("There are older jobs; list more with --limit.") }
    }
}
