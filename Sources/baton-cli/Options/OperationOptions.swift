import BatonArguments
import BatonOperations

/// The options of `submit` and `run`: one operation or an array with its options, or a graph file.
struct OperationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Name of the operation; other operations refer to it.", valueName: "name"),
        transform: { (text: String) in try NameArgument.read(text) }
    )
    var name: String?

    @Option(
        help: ArgumentHelp("Queue of the operation (default: default).", valueName: "queue"),
        transform: { (text: String) in try NameArgument.read(text) }
    )
    var queue: String?

    @Option(
        help: ArgumentHelp(
            "Priority within its queue: a name, or a number from -8 to 8.",
            valueName: "priority"
        )
    )
    var priority: Priority?

    @Option(
        help: ArgumentHelp(
            "Quality of service: the share of slots and of processor time (default: that of the queue).",
            valueName: "class"
        )
    )
    var qos: QualityOfService?

    @Option(help: ArgumentHelp("Start after this has finished, whatever its outcome.", valueName: "address"))
    var after: [Address] = []

    @Option(help: ArgumentHelp("Start after this has succeeded; otherwise skip the operation.", valueName: "address"))
    var needs: [Address] = []

    @Option(
        help: ArgumentHelp(
            "Start after this, or another --on-failure, has failed; otherwise skip the operation.",
            valueName: "address"
        )
    )
    var onFailure: [Address] = []

    @Flag(help: "Run alone in the queue: after all operations added before, and before all added later.")
    var barrier = false

    @Flag(help: "Hold the operation until 'baton release'.")
    var hold = false

    @Option(help: ArgumentHelp("Number of retries after a failure (default: 0).", valueName: "n"))
    var retries: UInt16?

    @Option(
        help: ArgumentHelp(
            "Delay before the first retry; each further retry doubles it (default: 1s).",
            valueName: "duration"
        ),
        transform: { (text: String) in try DurationOption.read(text) }
    )
    var retryDelay: Duration?

    @Option(
        help: ArgumentHelp(
            """
            What to do when its worker is lost: onLoss runs the operation again; never fails it, so that it runs at most \
            once (default: onLoss).
            """,
            valueName: "policy"
        )
    )
    var restart: RestartPolicy?

    @Option(
        help: ArgumentHelp(
            "Time limit of each attempt; an attempt that exceeds it is ended and fails.",
            valueName: "duration"
        ),
        transform: { (text: String) in try DurationOption.timeout(text) }
    )
    var timeout: Duration?

    @Option(
        help: ArgumentHelp(
            "Time between SIGTERM and SIGKILL when an attempt is ended: a duration, or forever (default: 5s).",
            valueName: "duration"
        )
    )
    var grace: Work.GracePeriod?

    @Option(
        help: ArgumentHelp("Earliest start, counted from the submission.", valueName: "duration"),
        transform: { (text: String) in try DurationOption.read(text) }
    )
    var delay: Duration?

    @Option(
        help: ArgumentHelp(
            """
            Shell command to run after the operation has finished; BATON_OUTCOME has the outcome. It needs no slot; a worker \
            runs at most four such commands at once, and --timeout limits them too.
            """,
            valueName: "command"
        )
    )
    var onFinish: String?

    @Option(
        name: .customLong("env"),
        help: ArgumentHelp("Environment variable of the command.", valueName: "name=value")
    )
    var environment: [EnvironmentAssignment] = []

    @Option(
        help: ArgumentHelp(
            "Working directory of the command (default: the current directory).",
            valueName: "directory"
        ),
        completion: .directory
    )
    var cwd: String?

    @Option(
        help: ArgumentHelp("File for the standard input of the command (default: none).", valueName: "file"),
        completion: .file()
    )
    var stdin: String?

    @Option(
        help: ArgumentHelp(
            "Create one operation for each number; {} in the command stands for the number.",
            valueName: "first-last:step"
        ),
        transform: { (text: String) in try ArrayValues(range: text) }
    )
    var array: ArrayValues?

    @Option(
        help: ArgumentHelp(
            "Create one operation for each line of a file; {} in the command stands for the line.",
            valueName: "file"
        ),
        completion: .file()
    )
    var eachLine: String?

    @Option(
        help: ArgumentHelp(
            "Idempotency key: the same submission again returns the same job; another one is refused.",
            valueName: "key"
        ),
        transform: { (text: String) in try NameArgument.readKey(text) }
    )
    var key: String?

    @Option(
        help: ArgumentHelp("Graph file with operations; - reads standard input.", valueName: "file"),
        completion: .file(extensions: ["json", "json5", "jsonl"])
    )
    var file: String?

    @Argument(parsing: .postTerminator, help: "The command and its arguments, after '--'.")
    var command: [String] = []

    func validate() throws {
        guard let file else {
            if command.isEmpty { throw ValidationError("Give a command after '--', or a graph with --file.") }
            if array != nil, eachLine != nil { throw ValidationError("Give either --array or --each-line.") }
            if barrier, array != nil || eachLine != nil {
                throw ValidationError("An array cannot be a barrier: give --barrier without --array and --each-line.")
            }
            if onFinish?.isEmpty == true { throw ValidationError("The command of --on-finish is empty.") }
            return
        }
        guard command.isEmpty else {
            throw ValidationError("Give either a command after '--' or the graph '\(file)', not both.")
        }
        if let option = optionsOfCommand.first {
            throw ValidationError(
                "'\(option)' is for a command after '--'; the operations of a graph have their options in the file."
            )
        }
    }

    /// The given options that have no meaning for a graph file.
    private var optionsOfCommand: [String] {
        let given: [(String, Bool)] = [
            ("--name", name != nil), ("--queue", queue != nil), ("--priority", priority != nil), ("--qos", qos != nil),
            ("--after", !after.isEmpty), ("--needs", !needs.isEmpty), ("--on-failure", !onFailure.isEmpty),
            ("--retries", retries != nil), ("--retry-delay", retryDelay != nil),
            ("--restart", restart != nil), ("--timeout", timeout != nil),
            ("--grace", grace != nil), ("--delay", delay != nil), ("--env", !environment.isEmpty),
            ("--cwd", cwd != nil), ("--barrier", barrier), ("--hold", hold), ("--on-finish", onFinish != nil),
            ("--stdin", stdin != nil), ("--array", array != nil), ("--each-line", eachLine != nil),
        ]
        return given.filter(\.1).map(\.0)
    }
}
