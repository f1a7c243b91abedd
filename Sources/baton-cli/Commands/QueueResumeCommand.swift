@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton queue resume`.
struct QueueResumeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Resumes suspended queues: their operations can start again.",
        discussion:
            "Operations cancelled meanwhile finish without running; the others start by priority, and FIFO within a priority.",
        examples: [Example("baton queue resume images")]
    )

    @Argument(
        help: "Queues to resume.",
        completion: CompletionSubject.queues.kind,
        transform: { (text: String) in try NameArgument.read(text) }
    )
    var queues: [String]

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let changes = QueueChanges(of: queues, on: try global.connect())
        try await changes.checkExistence()
        let report = try await changes.perform { .setQueue(QueueChange(name: $0, isSuspended: false)) }
        try ChangeOutput(global).show(
            report,
            unchanged: "Nothing was changed: \(changes.subject) had not been suspended."
        ) {
            _ in "Resumed \(changes.changed(report))."
        }
    }
}
