@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton workers`.
struct WorkersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "workers",
        abstract: "Lists workers.",
        examples: [Example("baton workers"), Example("baton workers --json")]
    )

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let bytes = try await global.connect().document(.workers, timeout: GlobalOptions.answerTimeout)
        if global.json { return try Output.document(bytes) }
        let workers = try DocumentReader.read(WorkersDocument.self, from: bytes).workers
        guard !workers.isEmpty else {
            if !global.quiet { Output.note("There are no workers. Start one with \"baton worker\".") }
            return
        }
        // Most clusters run only commands.
        let showsTypes = workers.contains { !$0.types.isEmpty }
        let typesColumn: [TextTable.Column] = showsTypes ? [.init("TYPES", isFlexible: true)] : []
        var table = TextTable(
            [
                .init("WORKER", isFlexible: true), .init("STATE"), .init("SLOTS", alignment: .right),
                .init("EXECUTING", alignment: .right), .init("HOST", isFlexible: true),
                .init("PROCESS", alignment: .right),
            ] + typesColumn
        )
        for worker in workers {
            let types: [TextTable.Cell] = showsTypes ? [.init(worker.types.map(\.asShown).joined(separator: " "))] : []
            table.append(
                [
                    .init(worker.worker.asShown), .init(worker.state.rawValue, tone: tone(of: worker.state)),
                    .init(worker.absent ? "-" : "\(worker.slots)"), .init("\(worker.executing)"),
                    .init(worker.absent ? "not back since the coordinator's restart" : worker.host),
                    .init(worker.absent ? "-" : "\(worker.processID)"),
                ] + types
            )
        }
        try Output.table(table)
        for worker in workers {
            if let reason = worker.reason { Output.note("\(worker.worker) is failing: \(reason)") }
        }
    }

    private func tone(of state: WorkersDocument.State) -> Style.Tone {
        switch state {
        case .alive: .good
        case .suspect, .draining: .warning
        case .failing, .lost: .bad
        }
    }
}
