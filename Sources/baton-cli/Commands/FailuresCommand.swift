@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton failures`.
struct FailuresCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "failures",
        abstract: "Shows the failed operations of a job, in groups of alike failures.",
        discussion: """
            Operations are in one group if they failed for the same reason, and the last lines of their standard error are the \
            same apart from numbers. The largest group comes first. For each group, failures shows the number of operations, \
            the addresses of the first with their items or names, the end of the first one's standard error, and the \
            command that retries the group. The failures of a job beyond its first 500 groups are grouped by reason alone.
            """,
        examples: [
            Example("baton failures 12"),
            Example("baton retry 12 --group 2", "Retry the operations of the second group"),
            Example("baton failures 12 --json", "The same as JSON"),
        ]
    )

    private static let mostGroups: UInt32 = 100

    @Option(help: ArgumentHelp("Maximum number of groups, up to \(mostGroups).", valueName: "n"))
    var limit: UInt32 = 10

    @Argument(help: "Job (12, last or nightly).")
    var job: JobArgument

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        guard (1...Self.mostGroups).contains(limit) else {
            throw ValidationError("--limit must be from 1 to \(Self.mostGroups).")
        }
    }

    func run() async throws {
        let connection = try global.connect()
        let job = try await AddressResolver(on: connection).number(of: job.job)
        let bytes = try await connection.document(
            .failures(job, limit: limit),
            timeout: GlobalOptions.answerTimeout
        )
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
        if document.more > 0, !global.quiet {
            let groups = document.more == 1 ? "is 1 more group" : "are \(document.more) more groups"
            Output.note("There \(groups); list more with --limit.")
        }
    }
}
