@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton signal`.
struct SignalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "signal",
        abstract: "Sends a signal to the processes of executing operations.",
        discussion: """
            All processes of the operation's group get the signal. What it means is up to them; an operation that it ends has failed, \
            and is retried as after any failure. A paused operation gets it once it goes on, except KILL, which ends it at once. \
            'baton pause' and 'baton resume' stand for SIGSTOP and SIGCONT, and 'baton cancel' asks an operation to end.
            """,
        examples: [
            Example("baton signal 12/sepia USR1", "Let a program report, or write a checkpoint"),
            Example("baton signal 12 HUP", "All executing operations of a job"),
        ]
    )

    @Argument(help: "Jobs (12, last, nightly) and operations (12/3, 12/sepia, 12/[3-9,20], 12/test-*).")
    var addresses: [AddressPattern]

    @Argument(help: "Signal, such as USR1 or SIGUSR1.")
    var signal: OperationSignal

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let report = try await AddressResolver(on: global.connect()).change(addresses) { .signal($0, signal) }
        try ChangeOutput(global).show(report) { "Sent SIG\(signal.rawValue) to \($0)." }
    }
}
