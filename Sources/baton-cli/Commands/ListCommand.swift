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
        discussion: """
            The conditions of all options have to be met; of --state, --outcome and --failed, one is enough. STATE shows the \
            outcome of a finished job, and NAME the command of a job without a name (its end, if it is long), or the type of its \
            first Swift operation. ELAPSED is the time from the submission to the end, or so far.
            """,
        examples: [
            Example("baton list"), Example("baton list --failed --since 2h", "Jobs of the last two hours that failed"),
            Example("baton list --name 'tile-*' --state executing --columns job,name,counts"),
            Example("baton list --tag project=tiles --columns job,state,tags", "Jobs with a tag"),
            Example("baton list --limit 100 --json", "The newest hundred, for a script"),
        ]
    )

    private static let pageLength: UInt32 = 1000

    @OptionGroup var conditions: FilterOptions

    @Option(
        help: ArgumentHelp(
            "List only jobs with this tag, key=value; can be given several times, for jobs with all of them.",
            valueName: "tag"
        ),
        transform: { (text: String) in try TagArgument.read(text) }
    )
    var tag: [JobTag] = []

    @Option(help: ArgumentHelp("Maximum number of jobs.", valueName: "n"))
    var limit: UInt32 = 20

    @Option(
        help: ArgumentHelp("Columns of the table, separated by commas: \(JobColumn.names).", valueName: "columns"),
        transform: { (text: String) in try JobColumn.read(text) }
    )
    var columns: [JobColumn]?

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        if limit == 0 { throw ValidationError("List at least one job.") }
        try TagArgument.check(tag)
        if columns != nil, global.json { throw ValidationError("--columns is for the table, and --json has all keys.") }
    }

    func run() async throws {
        let connection = try global.connect()
        var filter = try await conditions.filter { try await connection.presentTime() }
        filter.tags = tag.values
        if limit <= Self.pageLength, global.json, filter.isEmpty {
            return try Output.document(try await page(before: nil, limit, filter, connection))
        }
        var list = JobListDocument(jobs: [])
        repeat {
            let rest = min(limit - UInt32(list.jobs.count), Self.pageLength)
            let bytes = try await page(before: list.next, rest, filter, connection)
            let page = try DocumentReader.read(JobListDocument.self, from: bytes, isExact: global.json)
            list.jobs += page.jobs
            list.next = page.next
            list.more = page.more
        } while list.next != nil && list.jobs.count < limit
        if global.json { return try Output.document(list) }
        try await show(list, isFiltered: !filter.isEmpty, on: connection)
    }

    private func page(
        before job: JobNumber?,
        _ limit: UInt32,
        _ filter: ListFilter,
        _ connection: ClientConnection
    ) async throws(ClientError) -> [UInt8] {
        try await connection.document(
            .jobs(before: job, limit: limit, filter: filter),
            timeout: GlobalOptions.answerTimeout
        )
    }

    private func show(_ list: JobListDocument, isFiltered: Bool, on connection: ClientConnection) async throws {
        guard !list.jobs.isEmpty else {
            if !global.quiet {
                Output.note(
                    isFiltered
                        ? "No job meets the conditions." : "There are no jobs yet. Submit one with \"baton submit\"."
                )
            }
            return
        }
        let isOver = list.jobs.allSatisfy { $0.finishedAt != nil }
        let present = try await isOver ? .now : connection.presentTime()
        let rows = list.jobs.map { Dated(document: $0, present: present) }
        try Output.table(JobColumn.table(of: rows, columns: columns))
        if list.next != nil, !global.quiet {
            let jobs = list.more.map { $0 == 1 ? "is 1 more job" : "are \($0) more jobs" } ?? "are more jobs"
            Output.note("There \(jobs); list more with --limit.")
        }
    }
}
