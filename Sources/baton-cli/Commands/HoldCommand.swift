@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton hold`.
struct HoldCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hold",
        abstract: "Keeps operations from starting until they are released.",
        discussion: """
            Operations that are ready or already sent to a worker are recalled first: after the command has ended, none of them \
            starts. Executing and finished operations are not affected. A held operation stays in its queue and occupies no slot.
            """,
        examples: [
            Example("baton hold 12/sepia 12/4", "Hold two operations"),
            Example("baton hold 12", "Hold all operations of a job that have not started"),
        ]
    )

    @Argument(help: "Jobs (12, last, nightly) and operations (12/3, 12/sepia, 12/[3-9,20], 12/test-*).")
    var addresses: [AddressPattern]

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let report = try await AddressResolver(on: global.connect()).change(addresses) { .hold($0) }
        try ChangeOutput(global).show(report) { "Held \($0)." }
    }
}
