import Arguments
import Client
import Operations
import Wire

/// The command `baton queue set`.
struct QueueSetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Changes the settings of a queue; a queue that does not exist is made.",
        discussion: "A higher limit takes effect at once. A lower one stops nothing that is executing.",
        examples: [
            Example("baton queue set images --max-concurrent 4 --qos utility"),
            Example("baton queue set images --max-concurrent=-1", "No limit of its own"),
        ]
    )

    @Option(
        help: ArgumentHelp(
            "How many of its operations execute at once in the whole cluster; -1 for no limit.",
            valueName: "n"
        ),
        transform: { (text: String) in try Self.limit(text) }
    )
    var maxConcurrent: QueueChange.Limit?

    @Option(help: ArgumentHelp("How much of the machines its operations get.", valueName: "class"))
    var qos: QualityOfService?

    @Argument(help: "The queue.")
    var name: String

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        if maxConcurrent == nil, qos == nil { throw ValidationError("Say what to change: --max-concurrent or --qos.") }
    }

    func run() async throws {
        let connection = try global.connect()
        try await connection.setQueue(
            QueueChange(name: name, maxConcurrent: maxConcurrent, qualityOfService: qos),
            timeout: GlobalOptions.answerTimeout
        )
        if global.json {
            try Output.document(try await connection.document(.queue(name), timeout: GlobalOptions.answerTimeout))
        }
    }

    static func limit(_ text: String) throws(ValidationError) -> QueueChange.Limit {
        guard let limit = Int32(text, radix: 10), limit >= -1 else {
            throw ValidationError("Please provide a whole number, 0 or more, or -1 for no limit.")
        }
        return limit == -1 ? .unlimited : .atMost(Int(limit))
    }
}
