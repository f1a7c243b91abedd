@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton failures`.
struct FailuresCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "failures",
        abstract: "Shows the failed operations of jobs, in groups of alike failures.",
        discussion: """
            Operations are in one group if they failed for the same reason, and the last lines of their standard error are the \
            same apart from numbers. The largest group comes first. For each group, failures shows the number of operations, \
            the addresses of the first with their items or names, the end of the first one's standard error, and the \
            command that retries the group. The failures of a job beyond its first 500 groups are grouped by reason alone.

            Several jobs are shown together: a group has the operations of all of them that failed alike. --tag and --since \
            choose all jobs with failures, except those that were retried: their retries have the same tags. With --json, several \
            jobs are a document each, one a line.
            """,
        examples: [
            Example("baton failures 12"),
            Example("baton retry 12 --group 2", "Retry the operations of the second group"),
            Example("baton failures 12 --json", "The same as JSON"),
            Example("baton failures --tag rule=count --since 1h", "The jobs of the last hour with a tag"),
        ]
    )

    private static let mostGroups: UInt32 = 100

    @Option(help: ArgumentHelp("Maximum number of groups, up to \(mostGroups).", valueName: "n"))
    var limit: UInt32 = 10

    @Flag(
        help: """
            Print each failed operation as a line of CSV, with the exit status, the time, the command and the first line of the \
            output; --limit does not count.
            """
    )
    var csv = false

    @OptionGroup var selection: JobSelection

    @Argument(help: "Jobs (12, last or nightly).")
    var jobs: [JobArgument] = []

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        guard (1...Self.mostGroups).contains(limit) else {
            throw ValidationError("--limit must be from 1 to \(Self.mostGroups).")
        }
        if csv, global.json { throw ValidationError("Give either --csv or --json, not both.") }
        try selection.check(hasAddresses: !jobs.isEmpty)
    }

    func run() async throws {
        let connection = try global.connect()
        let numbers =
            try await selection.isEmpty
            ? AddressResolver(on: connection).numbers(of: jobs)
            : selection.jobs(on: connection) { $0.counts.failed > 0 }
        if csv {
            var seen: Set<JobNumber> = []
            let jobs = numbers.filter { seen.insert($0).inserted }
            return try await OperationCSV(on: connection).write(jobs, ListFilter(outcomes: [.failed]))
        }
        if numbers.count == 1 { return try await show(numbers[0], on: connection) }
        guard !numbers.isEmpty else {
            if !global.quiet, !global.json { Output.note("No job that meets the conditions has failures.") }
            return
        }
        try await show(numbers, on: connection)
    }

    /// The failures of a job, as a document.
    private func failures(
        of job: JobNumber,
        limit: UInt32,
        on connection: ClientConnection
    ) async throws(ClientError) -> [UInt8] {
        try await connection.document(.failures(job, limit: limit), timeout: GlobalOptions.answerTimeout)
    }

    /// Shows several jobs together.
    private func show(_ jobs: [JobNumber], on connection: ClientConnection) async throws {
        var documents: [FailuresDocument] = []
        var seen: Set<JobNumber> = []
        for job in jobs where seen.insert(job).inserted {
            // What is alike in several jobs may be rare in each.
            let bytes = try await failures(of: job, limit: global.json ? limit : Self.mostGroups, on: connection)
            if global.json {
                try Output.document(bytes)
            } else {
                documents.append(try DocumentReader.read(FailuresDocument.self, from: bytes))
            }
        }
        guard !global.json else { return }
        guard documents.contains(where: { !$0.failures.isEmpty }) else {
            if !global.quiet { Output.note("No operation of these \(documents.count) jobs has failed.") }
            return
        }
        let text = JointFailuresText(documents: documents, limit: Int(limit), width: Terminal.width)
        for line in text.lines { try Output.line(line) }
        tell(more: text.more)
    }

    /// Shows one job.
    private func show(_ job: JobNumber, on connection: ClientConnection) async throws {
        let bytes = try await failures(of: job, limit: limit, on: connection)
        if global.json { return try Output.document(bytes) }
        let document = try DocumentReader.read(FailuresDocument.self, from: bytes)
        guard !document.failures.isEmpty else {
            if !global.quiet {
                Output.note("No operation of job \(job) has failed\(document.state == .finished ? "" : " so far").")
                let skipped = document.counts.skippedAfterFailure
                if skipped > 0 {
                    let what = skipped == 1 ? "1 operation was" : "\(skipped) operations were"
                    Output.note(
                        "\(what) skipped because of a failure in another job: see \"baton show \(job) --outcome skipped\"."
                    )
                }
            }
            return
        }
        let retried = try await connection.sentence(aboutRetriesOf: job)
        let text = FailureText(document: document, width: Terminal.width, isRetried: retried != nil)
        for line in text.numberedLines { try Output.line(line) }
        if !global.quiet, let retried { Output.note(retried) }
        tell(more: document.more)
    }

    private func tell(more: Int) {
        guard more > 0, !global.quiet else { return }
        let groups = more == 1 ? "is 1 more group" : "are \(more) more groups"
        Output.note("There \(groups); list more with --limit.")
    }
}
