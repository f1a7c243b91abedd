@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton schedule show`.
struct ScheduleShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a schedule, its next five times, and what it started and skipped last.",
        discussion: "Times are shown by the clocks of this host, and with --json in UTC.",
        examples: [Example("baton schedule show nightly")]
    )

    @OptionGroup var name: ScheduleName
    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let request = DocumentRequest.schedule(name.schedule)
        let bytes = try await global.connect().document(request, timeout: GlobalOptions.answerTimeout)
        if global.json { return try Output.document(bytes) }
        try Output.line(ScheduleText(try DocumentReader.read(ScheduleDocument.self, from: bytes)).lines)
    }
}
