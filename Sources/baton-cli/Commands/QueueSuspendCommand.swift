import BatonArguments
import BatonClient
import BatonOperations
import BatonWire

/// The command `baton queue suspend`.
struct QueueSuspendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suspend",
        abstract: "Keeps all operations of queues from starting; what is executing goes on.",
        discussion: """
            What waits for a worker is taken back first: once the command has ended, nothing of the queue starts before it is \
            resumed. Operations can be added meanwhile. A queue that does not exist is refused; 'baton queue set NAME \
            --suspended' makes one that starts nothing.
            """,
        examples: [
            Example("baton queue suspend images"),
            Example("baton queue suspend images mail", "Two queues"),
        ]
    )

    @Argument(help: "The queues.", transform: { (text: String) in try NameArgument.read(text) })
    var queues: [String]

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let changes = QueueChanges(of: queues, on: try global.connect())
        try await changes.checkExistence { "\"baton queue set \($0) --suspended\" makes one that starts nothing." }
        let report = try await changes.perform { .setQueue(QueueChange(name: $0, isSuspended: true)) }
        try ChangeOutput(global).show(report, unchanged: "Nothing was changed: \(changes.subject) had been suspended.")
        {
            _ in "Suspended \(changes.changed(report))."
        }
    }
}
