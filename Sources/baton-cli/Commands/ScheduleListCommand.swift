@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton schedule list`.
struct ScheduleListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists schedules, with their next times.",
        examples: [Example("baton schedule list")]
    )

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let bytes = try await global.connect().document(.schedules, timeout: GlobalOptions.answerTimeout)
        if global.json { return try Output.document(bytes) }
        let schedules = try DocumentReader.read(ScheduleListDocument.self, from: bytes).schedules
        guard !schedules.isEmpty else {
            if !global.quiet { Output.note("There are no schedules. Add one with \"baton schedule add\".") }
            return
        }
        var table = TextTable([
            .init("SCHEDULE", isFlexible: true), .init("TIMES", isFlexible: true), .init("TIME ZONE"), .init("NEXT"),
            .init("LAST JOB", alignment: .right), .init("STATE"),
        ])
        for schedule in schedules {
            let text = ScheduleText(schedule)
            table.append([
                .init(schedule.schedule.asShown), .init(schedule.cron), .init(schedule.timeZone),
                .init(schedule.next.first?.localText ?? "-"), .init(schedule.lastJob?.description ?? "-"),
                .init(text.state, tone: text.isActive ? nil : .warning),
            ])
        }
        try Output.table(table)
    }
}
