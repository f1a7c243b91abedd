@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton close`.
struct CloseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "close",
        abstract: "Closes open jobs: they take no further operations, and end with the last one they have.",
        discussion: """
            'baton submit --open' opens a job, and 'baton submit --job' adds operations to it. Until the job is closed, it is \
            not finished: what depends on the job, its hooks, 'baton wait' and 'baton retry' wait for that. 'baton cancel' and \
            --max-failures close a job, too.
            """,
        examples: [Example("baton close 12"), Example("baton close sweep", "The newest job with the name")]
    )

    @Argument(help: "Jobs (12, last, nightly).")
    var jobs: [JobArgument]

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        if jobs.isEmpty { throw ValidationError("Name at least one job.") }
    }

    func run() async throws {
        let connection = try global.connect()
        let numbers = try await AddressResolver(on: connection).numbers(of: jobs)
        let report = try await connection.change(.close(numbers), timeout: GlobalOptions.answerTimeout)
        try ChangeOutput(global).show(report, of: "job") { "Closed \($0)." }
    }
}
