@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton workers`.
struct WorkersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "workers",
        abstract: "Lists workers, or removes lost ones from the list.",
        discussion: """
            A worker that has left in order is not listed, unless it is drained. --forget removes workers that are lost, and \
            drained workers that have left, with their drain.
            """,
        examples: [
            Example("baton workers"), Example("baton workers --json"),
            Example("baton workers --forget w1", "Remove a lost worker"),
        ]
    )

    @Flag(help: "Remove the named workers, which are lost or have left, from the list.")
    var forget = false

    @Argument(
        help: ArgumentHelp("Workers to remove, with --forget.", valueName: "worker"),
        transform: { (text: String) in try NameArgument.read(text) }
    )
    var names: [String] = []

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        if forget, names.isEmpty { throw ValidationError("Name the workers to remove.") }
        if !forget, !names.isEmpty { throw ValidationError("Workers are named only with --forget.") }
    }

    func run() async throws {
        guard !forget else {
            let report = try await global.connect().change(.forget(names), timeout: GlobalOptions.answerTimeout)
            return try ChangeOutput(global).show(report, of: "worker") { "Removed \($0)." }
        }
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
        let showsEnds = workers.contains { $0.endsAt != nil }
        let endsColumn: [TextTable.Column] = showsEnds ? [.init("ENDS")] : []
        // Workers on hosts nearby have none.
        let showsRoundTrips = workers.contains { $0.roundTripSeconds != nil }
        let roundTripColumn: [TextTable.Column] =
            showsRoundTrips ? [.init("ROUND TRIP", alignment: .right)] : []
        var table = TextTable(
            [
                .init("WORKER", isFlexible: true), .init("STATE"), .init("SLOTS", alignment: .right),
                .init("EXECUTING", alignment: .right), .init("HOST", isFlexible: true),
                .init("PROCESS", alignment: .right),
            ] + roundTripColumn + endsColumn + typesColumn
        )
        for worker in workers {
            let types: [TextTable.Cell] = showsTypes ? [.init(worker.types.map(\.asShown).joined(separator: " "))] : []
            let isAway = worker.absent || worker.state == .left
            let ends: [TextTable.Cell] = showsEnds ? [.init(worker.endsAt?.localText ?? "-")] : []
            let roundTrip: [TextTable.Cell] =
                showsRoundTrips ? [.init(worker.roundTripSeconds.map(Self.milliseconds) ?? "-")] : []
            table.append(
                [
                    .init(worker.worker.asShown), .init(words(of: worker), tone: tone(of: worker.state)),
                    .init(isAway ? "-" : "\(worker.slots)"), .init("\(worker.executing)"),
                    .init(worker.absent ? "not back since the coordinator's restart" : isAway ? "-" : worker.host),
                    .init(isAway ? "-" : "\(worker.processID)"),
                ] + roundTrip + ends + types
            )
        }
        try Output.table(table)
        for worker in workers {
            if let reason = worker.reason { Output.note("\(worker.worker) is failing: \(reason)") }
            if let since = worker.drainedAt {
                Output.note(
                    "\(worker.worker.asShown) has been drained since \(since.localText)"
                        + "\(worker.drainedBy.map { ", by \($0)" } ?? ""). "
                        + "\"baton undrain \(worker.worker.asShown)\" lets it start operations again."
                )
            }
        }
    }

    /// The worker's state, and whether it is draining if the state does not say so.
    private func words(of worker: WorkersDocument.Worker) -> String {
        worker.state.rawValue + (worker.draining && worker.state != .draining ? ", draining" : "")
    }

    /// A round trip for people, in milliseconds.
    private static func milliseconds(_ seconds: Double) -> String {
        Duration.microseconds(Int64(min(max(seconds, 0), 3600) * 1_000_000)).roughText
    }

    private func tone(of state: WorkersDocument.State) -> Style.Tone {
        switch state {
        case .alive: .good
        case .suspect, .draining, .left: .warning
        case .failing, .lost: .bad
        }
    }
}
