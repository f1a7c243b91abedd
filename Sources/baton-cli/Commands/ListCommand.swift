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
            Example("baton list --mine --since 1d", "What was submitted with the key of this command"),
            Example("baton list --tag project=tiles --csv", "Their operations for a spreadsheet"),
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

    @Flag(help: "List only jobs that were submitted or retried with the key of this command.")
    var mine = false

    @Option(
        help: ArgumentHelp(
            "List only jobs that were submitted or retried by this: the name of a key, or the address of an operation.",
            valueName: "name"
        )
    )
    var by: String?

    @Option(help: ArgumentHelp("Maximum number of jobs.", valueName: "n"))
    var limit: UInt32 = 20

    @Option(
        help: ArgumentHelp("Columns of the table, separated by commas: \(JobColumn.names).", valueName: "columns"),
        transform: { (text: String) in try JobColumn.read(text) }
    )
    var columns: [JobColumn]?

    @Flag(
        help: """
            Print the operations of the jobs as CSV, one a line, with the exit status, the time, the command and the first line of \
            the output.
            """
    )
    var csv = false

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        if limit == 0 { throw ValidationError("List at least one job.") }
        if mine, by != nil { throw ValidationError("Give either --mine or --by, not both.") }
        try TagArgument.check(tag)
        if csv, global.json || columns != nil {
            throw ValidationError("--csv has columns and a form of its own: give it without --json and --columns.")
        }
        if columns != nil, global.json { throw ValidationError("--columns is for the table, and --json has all keys.") }
    }

    func run() async throws {
        let connection = try global.connect()
        var filter = try await conditions.filter { try await connection.presentTime() }
        filter.tags = tag.values
        let submitter = try await submitter(on: connection)
        if limit <= Self.pageLength, global.json, filter.isEmpty, submitter == nil {
            return try Output.document(try await page(before: nil, limit, filter, connection))
        }
        let list = try await jobs(filter, submitter, connection)
        if global.json { return try Output.document(list) }
        if csv { return try await OperationCSV(on: connection).write(list.jobs.map(\.job)) }
        try await show(list, isFiltered: !filter.isEmpty || submitter != nil, on: connection)
    }

    /// Who has submitted the wanted jobs; nil for anybody.
    private func submitter(on connection: ClientConnection) async throws -> Submitter? {
        if mine { return Submitter(name: try await AddressResolver(on: connection).ownKey()) }
        return by.map { Submitter(name: $0) }
    }

    /// The wanted jobs, newest first.
    ///
    /// The coordinator knows no condition for the submitter: whole pages are read, and the other jobs left out.
    private func jobs(
        _ filter: ListFilter,
        _ submitter: Submitter?,
        _ connection: ClientConnection
    ) async throws -> JobListDocument {
        var list = JobListDocument(jobs: [])
        repeat {
            let rest = Int(limit) - list.jobs.count
            let length = submitter == nil ? min(UInt32(rest), Self.pageLength) : Self.pageLength
            let bytes = try await page(before: list.next, length, filter, connection)
            // The names are compared as they are.
            var page = try DocumentReader.exact(JobListDocument.self, from: bytes)
            if let submitter { page.jobs.removeAll { $0.by != submitter.name } }
            let isCut = page.jobs.count > rest
            list.jobs += page.jobs.prefix(rest)
            list.next = isCut ? list.jobs.last?.job : page.next
            list.more = submitter == nil || list.next == nil ? page.more : nil
        } while list.next != nil && list.jobs.count < limit
        if !global.json { list.changeTexts { $0.printable } }
        return list
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

/// Whose jobs are listed: the holder of a key or an operation by its name, or nobody who is known.
private struct Submitter {
    var name: String?
}
