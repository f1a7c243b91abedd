@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton undrain`.
struct UndrainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undrain",
        abstract: "Lets drained workers start operations again.",
        examples: [Example("baton undrain w1"), Example("baton undrain --label zone=a", "All of a zone")]
    )

    @OptionGroup var names: WorkerNames
    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let connection = try global.connect()
        let workers = try await names.resolved(by: connection)
        let report = try await connection.change(.undrain(workers), timeout: GlobalOptions.answerTimeout)
        try ChangeOutput(global).show(report, of: "worker") { "Undrained \($0)." }
    }
}
