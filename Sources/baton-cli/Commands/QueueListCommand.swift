@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton queue list`.
struct QueueListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists queues.",
        examples: [Example("baton queue list")]
    )

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let bytes = try await global.connect().document(.queues, timeout: GlobalOptions.answerTimeout)
        if global.json { return try Output.document(bytes) }
        let queues = try DocumentReader.read(QueueListDocument.self, from: bytes).queues
        guard !queues.isEmpty else {
            if !global.quiet {
                Output.note(
                    "There are no queues yet. A queue is created by its first operation, or with \"baton queue set\"."
                )
            }
            return
        }
        var columns: [TextTable.Column] = [
            .init("QUEUE", isFlexible: true), .init("LIMIT", alignment: .right), .init("CLASS"),
            .init("UNFINISHED", alignment: .right), .init("EXECUTING", alignment: .right), .init("SUSPENDED"),
            .init("PROGRESS"),
        ]
        // Few queues have a rate.
        let hasRates = queues.contains { $0.rate != nil }
        if hasRates { columns.insert(.init("RATE", alignment: .right), at: 2) }
        var table = TextTable(columns)
        for queue in queues {
            var cells: [TextTable.Cell] = [
                .init(queue.queue.asShown), .init(queue.maxConcurrent.map(String.init) ?? "none"),
                .init(queue.qos?.description ?? "-"), .init("\(queue.count)"), .init("\(queue.executing)"),
                .init(queue.suspended ? "yes" : "no", tone: queue.suspended ? .warning : nil),
                .init(queue.progressText ?? "-"),
            ]
            if hasRates { cells.insert(.init(queue.rate ?? "none"), at: 2) }
            table.append(cells)
        }
        try Output.table(table)
    }
}
