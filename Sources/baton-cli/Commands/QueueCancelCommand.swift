@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton queue cancel`.
struct QueueCancelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancels all operations now in queues; later operations are not affected.",
        discussion: "Does the same as 'baton cancel --queue'.",
        examples: [Example("baton queue cancel images")]
    )

    @Argument(
        help: "Queues to cancel.",
        completion: CompletionSubject.queues.kind,
        transform: { (text: String) in try NameArgument.read(text) }
    )
    var queues: [String]

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let changes = QueueChanges(of: queues, on: try global.connect())
        try await changes.checkExistence()
        try ChangeOutput(global).show(cancellation: await changes.perform { .cancel([], queue: $0) })
    }
}
