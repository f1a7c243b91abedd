@_spi(Baton) import BatonArguments

/// A tool with every kind of argument, in the shape of a real tool.
struct Tool: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs operations on several hosts.",
        version: "tool 1.2.3",
        subcommands: [Submit.self, Wait.self],
        groupedSubcommands: [CommandGroup(name: "Queue", subcommands: [Queue.self, Priority.self, Move.self])]
    )

    @OptionGroup(title: "Global Options") var global: GlobalOptions
}

struct GlobalOptions: ParsableArguments {
    @Option(help: "The coordinator's address.") var coordinator: String?

    @Option(help: ArgumentHelp("Where the state is.", valueName: "directory"), completion: .directory)
    var home = "/var/lib/tool"

    @Flag(help: "Print JSON.") var json = false
    @Flag(help: "Print what is asked for, alone.") var quiet = false
}

enum QualityOfService: String, CaseIterable, ExpressibleByArgument {
    case userInitiated = "user-initiated"
    case utility
    case background
}

/// A duration in whole seconds, refused with a sentence of its own.
struct Seconds: Equatable, Sendable {
    var count: Int

    init(count: Int) {
        self.count = count
    }

    init(_ text: String) throws {
        guard text.hasSuffix("s"), let count = Int(text.dropLast()), count >= 0 else {
            throw ValidationError("Write a duration such as '10s'.")
        }
        self.count = count
    }
}

struct Submit: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Submits one operation, an array of them, or a graph, and prints the number of the new job.",
        discussion: "What follows '--' is the command, word for word.",
        examples: [
            Example("tool submit -- make -j4", "Run make once"),
            Example("tool submit --file graph.json"),
        ]
    )

    @Option(name: .shortAndLong, help: "The queue it goes to.") var queue = "default"
    @Option(help: ArgumentHelp("The urgency, as a number.", valueName: "level")) var priority: Int?
    @Option(help: "The class of service.") var qos: QualityOfService?

    @Option(help: ArgumentHelp("Seconds until it is ended.", valueName: "duration"), transform: { try Seconds($0) })
    var timeout: Seconds?

    @Option(name: .customLong("env"), help: ArgumentHelp("Sets a variable for it.", valueName: "name=value"))
    var environment: [String] = []

    @Option(name: [.customShort("F"), .long], help: "A graph.", completion: .file(extensions: ["json", "jsonl"]))
    var file: String?

    @Flag(help: "Hold it until it is released.") var hold = false
    @Flag(name: .short, help: "Say more.") var verbose = false
    @OptionGroup(title: "Global Options") var global: GlobalOptions

    @Argument(parsing: .postTerminator, help: "The command and its arguments.")
    var command: [String] = []

    func validate() throws {
        if command.isEmpty == (file == nil) {
            throw ValidationError("Give either a command after '--' or a graph with --file.")
        }
    }
}

struct Wait: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Waits.",
        examples: [Example("tool wait 12", "Wait for a job")]
    )

    @Option(help: "The longest time.") var timeout: Double?
    @OptionGroup(title: "Global Options") var global: GlobalOptions
    @Argument(help: "Jobs and operations.") var targets: [String]
}

struct Queue: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows and changes queues.",
        subcommands: [QueueList.self, QueueSet.self]
    )

    @OptionGroup(title: "Global Options") var global: GlobalOptions
}

struct QueueList: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists queues.")

    @OptionGroup(title: "Global Options") var global: GlobalOptions
    @Argument(help: "What the names begin with.") var prefix: String?
    @Argument(help: "How many.") var limit: UInt16 = 10
}

struct QueueSet: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "set", abstract: "Changes a queue.")

    @Argument(help: "The queue.") var name: String
    @Option(help: ArgumentHelp("How many run at the same time.", valueName: "n")) var maxConcurrent: Int
    @OptionGroup(title: "Global Options") var global: GlobalOptions
}

struct Priority: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Changes the urgency.")

    @Argument(help: "The operation.") var operation: String
    @Argument(help: "The level.") var level: Int
    @Option(help: "A share.") var share = 1.5
    @OptionGroup(title: "Global Options") var global: GlobalOptions
}

struct Move: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Moves operations to a queue.")

    @Argument(help: "The operations.") var operations: [UInt32]
    @Argument(help: "The class of the queue.") var qos: QualityOfService
    @Argument(help: "The place.") var place: Int
    @OptionGroup(title: "Global Options") var global: GlobalOptions
}

/// The parsed command of the expected type.
func parsed<Command: ParsableCommand>(_ type: Command.Type, _ arguments: [String]) throws -> Command {
    switch Tool.outcome(of: arguments) {
    case .command(let command):
        guard let command = command as? Command else { throw UnexpectedOutcome("\(command)") }
        return command
    case .failure(let error): throw error
    case .help(let page): throw UnexpectedOutcome(page.rendered(width: 80))
    case .version(let version): throw UnexpectedOutcome(version)
    }
}

/// The mistake that the tool found.
func failure(_ arguments: [String]) throws -> UsageError {
    guard case .failure(let error) = Tool.outcome(of: arguments) else { throw UnexpectedOutcome("no failure") }
    return error
}

/// The page that the tool was asked for.
func helpPage(_ arguments: [String], width: Int = 80) throws -> String {
    switch Tool.outcome(of: arguments) {
    case .help(let page): return page.rendered(width: width)
    case .failure(let error): throw error
    case .command, .version: throw UnexpectedOutcome("no help")
    }
}

struct UnexpectedOutcome: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
