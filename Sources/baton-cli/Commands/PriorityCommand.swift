@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton priority`.
struct PriorityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "priority",
        abstract: "Changes the priority of operations that have not started.",
        discussion: """
            Each operation moves to the end of its new priority in the ready queue. The priorities are veryLow (-8), low (-4), \
            normal (0), high (4) and veryHigh (8); another number is rounded to the next priority towards normal.
            """,
        examples: [
            Example("baton priority 12/sepia high"),
            Example("baton priority 12 13/4 -4", "A job and an operation, to priority low"),
        ]
    )

    @Argument(help: "Jobs (12, last, nightly) and operations (12/3, 12/sepia, 12/[3-9,20], 12/test-*).")
    var addresses: [AddressPattern]

    @Argument(help: "Priority: a name, or a number from -8 to 8.")
    var priority: Priority

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let report = try await AddressResolver(on: global.connect()).change(addresses) { .setPriority($0, priority) }
        try ChangeOutput(global).show(report) { "Put \($0) at priority \(priority)." }
    }
}
