@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton pause`.
struct PauseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Lets executing operations stand still until they are continued.",
        discussion: """
            The processes get SIGSTOP, and the timeout stands still. A paused operation keeps its slot, its place in the limits of \
            queue and array, its memory and its units of resources and shared limits; its processors (--cpus) are free for others. \
            It stays paused through restarts of the coordinator, until 'baton resume', 'baton cancel' or its deadline, or until \
            its attempt ends with its worker. What does not execute is not affected: 'baton hold' keeps it from starting.
            """,
        examples: [
            Example("baton pause 12/sepia"),
            Example("baton pause 12", "All executing operations of a job"),
        ]
    )

    @Argument(help: "Jobs (12, last, nightly) and operations (12/3, 12/sepia, 12/[3-9,20], 12/test-*).")
    var addresses: [AddressPattern]

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let report = try await AddressResolver(on: global.connect()).change(addresses) { .pause($0) }
        try ChangeOutput(global).show(report) { "Paused \($0)." }
    }
}
