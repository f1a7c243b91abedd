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
        var table = TextTable([
            .init("QUEUE", isFlexible: true), .init("LIMIT", alignment: .right), .init("CLASS"),
            .init("UNFINISHED", alignment: .right), .init("EXECUTING", alignment: .right), .init("SUSPENDED"),
            .init("PROGRESS"),
        ])
        for queue in queues {
            table.append([
                .init(queue.queue.asShown), .init(queue.maxConcurrent.map(String.init) ?? "none"),
                .init(queue.qos?.description ?? "-"), .init("\(queue.count)"), .init("\(queue.executing)"),
                .init(queue.suspended ? "yes" : "no", tone: queue.suspended ? .warning : nil),
                .init(queue.progressText ?? "-"),
            ])
        }
        try Output.table(table)
    }
}
