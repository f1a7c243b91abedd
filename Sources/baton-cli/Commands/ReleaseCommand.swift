@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton release`.
struct ReleaseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release",
        abstract: "Releases held operations, so that they can start.",
        examples: [Example("baton release 12/sepia"), Example("baton release 12", "All held operations of a job")]
    )

    @Argument(help: "Jobs (12, last, nightly) and operations (12/3, 12/sepia, 12/[3-9,20], 12/test-*).")
    var addresses: [AddressPattern]

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let report = try await AddressResolver(on: global.connect()).change(addresses) { .release($0) }
        try ChangeOutput(global).show(report) { "Released \($0)." }
    }
}
