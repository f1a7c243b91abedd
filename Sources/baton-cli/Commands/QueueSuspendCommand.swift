@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton queue suspend`.
struct QueueSuspendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suspend",
        abstract: "Suspends queues: no operation starts; executing operations continue.",
        discussion: """
            Operations already sent to a worker are recalled first: after the command has ended, no operation of the queue \
            starts until 'baton queue resume'. Operations can be added meanwhile. A queue that does not exist is refused; \
            'baton queue set NAME --suspended' creates a suspended queue.
            """,
        examples: [
            Example("baton queue suspend images"),
            Example("baton queue suspend images mail", "Two queues"),
        ]
    )

    @Argument(
        help: "Queues to suspend.",
        completion: CompletionSubject.queues.kind,
        transform: { (text: String) in try NameArgument.read(text) }
    )
    var queues: [String]

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let changes = QueueChanges(of: queues, on: try global.connect())
        try await changes.checkExistence { "\"baton queue set \($0) --suspended\" creates a suspended queue." }
        let report = try await changes.perform { .setQueue(QueueChange(name: $0, isSuspended: true)) }
        try ChangeOutput(global).show(report, unchanged: "Nothing was changed: \(changes.subject) had been suspended.")
        {
            _ in "Suspended \(changes.changed(report))."
        }
    }
}
