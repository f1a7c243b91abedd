@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton delete`.
struct DeleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Deletes finished jobs from the record, with their operations, output and results.",
        discussion: """
            Without this command, jobs stay as long as the coordinator's --keep-finished says. A job is \
            refused if it is not finished, if an unfinished job depends on it, or if a completion hook of it has yet to run; \
            then nothing is deleted. The number of a deleted job is not used again, and its --key may be.
            """,
        examples: [Example("baton delete 12"), Example("baton delete 12 13 nightly", "Several jobs, all or none")]
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
        let report = try await connection.change(.delete(numbers), timeout: GlobalOptions.answerTimeout)
        try ChangeOutput(global).show(report, of: "job") { "Deleted \($0)." }
    }
}
