@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton resume`.
struct ResumeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Continues paused operations.",
        discussion: """
            The processes get SIGCONT, and the timeout goes on with what was left. An operation takes its processors (--cpus) \
            again at once, even if others have them meanwhile. 'baton queue resume' is for suspended queues.
            """,
        examples: [
            Example("baton resume 12/sepia"),
            Example("baton resume 12", "All paused operations of a job"),
        ]
    )

    @Argument(help: "Jobs (12, last, nightly) and operations (12/3, 12/sepia, 12/[3-9,20], 12/test-*).")
    var addresses: [AddressPattern]

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let report = try await AddressResolver(on: global.connect()).change(addresses) { .resume($0) }
        try ChangeOutput(global).show(report) { "Continued \($0)." }
    }
}
