@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton queue show`.
struct QueueShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a queue and its unfinished operations, in the order of their addition.",
        examples: [Example("baton queue show images")]
    )

    @Argument(
        help: "Name of the queue.",
        completion: CompletionSubject.queues.kind,
        transform: { (text: String) in try NameArgument.read(text) }
    )
    var name: String

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let connection = try global.connect()
        let bytes = try await connection.document(.queue(name), timeout: GlobalOptions.answerTimeout)
        if global.json { return try Output.document(bytes) }
        let queue = try DocumentReader.read(QueueDocument.self, from: bytes)
        var lines = KeyValueLines()
        lines.append("queue", queue.summary.queue)
        lines.append("limit", queue.summary.maxConcurrent.map(String.init) ?? "none")
        lines.append("rate", queue.summary.rate)
        lines.append("class", queue.summary.qos?.description ?? "unset")
        lines.append("suspended", queue.summary.suspended ? "yes" : "no")
        lines.append("unfinished", "\(queue.summary.count)")
        lines.append("executing", "\(queue.summary.executing)")
        lines.append("progress", queue.summary.progressText)
        try Output.line(lines.text)
        var names = OperationNames(on: connection)
        for operation in queue.operations { try Output.line(try await names.label(of: operation)) }
        if queue.more > 0 { try Output.line("and \(queue.more) more") }
    }
}
