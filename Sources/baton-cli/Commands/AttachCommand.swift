@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton attach`.
struct AttachCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attach",
        abstract: "Shows a job as run does, up to its end, and exits with its status.",
        discussion: """
            For a job of one operation, attach prints the output that the operation writes from now on; for other jobs it shows \
            the progress. Its end and its exit status are those of "baton run", and so is the effect of signals: Ctrl-C \
            cancels the job, and Ctrl-\\ leaves it running. "baton wait" and "baton log -f" never cancel anything.
            """,
        examples: [
            Example("baton attach last", "Come back to the newest job"),
            Example("baton attach 12 --from-start", "With the output from its beginning"),
        ]
    )

    @Flag(help: "Also print the output that the operation has written so far.")
    var fromStart = false

    @Argument(help: ArgumentHelp("Job (12, last or nightly).", valueName: "job"))
    var job: JobArgument

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let interruption = Interruption(leavingAt: Departure.signals)
        defer { withExtendedLifetime(interruption) {} }
        let connection = try global.connect()
        let number = try await AddressResolver(on: connection).number(of: job.job)
        let bytes = try await connection.document(
            .job(number, from: 0, limit: 1),
            timeout: GlobalOptions.answerTimeout
        )
        let document = try DocumentReader.read(JobDocument.self, from: bytes)
        let isSingle = document.counts.total == 1
        if document.state == .finished, !fromStart, isSingle, !global.quiet, !global.json {
            Output.note("Job \(number) is finished. \"baton log \(number)/0\" prints its output.")
        }
        let run = JobRun(
            connection: connection,
            interruption: interruption,
            global: global,
            output: .none,
            waiter: global.waiter
        )
        throw QuietExit(
            status: try await run.attend(
                isSingle ? .only(number) : .job(number, operations: UInt32(clamping: document.counts.total)),
                from: fromStart ? .beginning : .now
            )
        )
    }
}
