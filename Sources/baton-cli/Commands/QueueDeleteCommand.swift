@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton queue delete`.
struct QueueDeleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Deletes queues without unfinished operations, with their settings.",
        discussion: """
            Finished operations keep the name of their queue, and 'baton list --queue' still finds their jobs. A queue that is \
            used again later is created anew, with default settings. The queue "default" stays.
            """,
        examples: [Example("baton queue delete images"), Example("baton queue delete images mail", "Two queues")]
    )

    @Argument(
        help: "Queues to delete.",
        completion: CompletionSubject.queues.kind,
        transform: { (text: String) in try NameArgument.read(text) }
    )
    var queues: [String]

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        if queues.isEmpty { throw ValidationError("Name at least one queue.") }
    }

    func run() async throws {
        var seen: Set<String> = []
        let changes = QueueChanges(of: queues.filter { seen.insert($0).inserted }, on: try global.connect())
        try await changes.checkExistence()
        try ChangeOutput(global).show(await changes.perform { .deleteQueue($0) }, of: "queue") {
            "Deleted \($0)."
        }
    }
}
