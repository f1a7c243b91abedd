import BatonArguments
import BatonOperations

/// What `submit` and `run` take: one operation or an array with its options, or a graph file.
struct OperationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The operation's name, by which others may refer to it.", valueName: "name"),
        transform: { (text: String) in try NameArgument.read(text) }
    )
    var name: String?

    @Option(
        help: ArgumentHelp("The queue that it goes to; \"default\" unless given.", valueName: "queue"),
        transform: { (text: String) in try NameArgument.read(text) }
    )
    var queue: String?

    @Option(
        help: ArgumentHelp(
            "Its level among the ready ones of its queue: a name, or a number from -8 to 8.",
            valueName: "level"
        )
    )
    var priority: Priority?

    @Option(help: ArgumentHelp("How much of the machines it gets; its queue's class unless given.", valueName: "class"))
    var qos: QualityOfService?

    @Option(help: ArgumentHelp("Start once this is finished, whatever its outcome.", valueName: "address"))
    var after: [Address] = []

    @Option(help: ArgumentHelp("Start once this has succeeded; skip it otherwise.", valueName: "address"))
    var needs: [Address] = []

    @Option(help: ArgumentHelp("Start once this or another such one has failed; else skip it.", valueName: "address"))
    var onFailure: [Address] = []

    @Flag(help: "Run it alone in its queue, after all that was added before it and before all that is added after it.")
    var barrier = false

    @Flag(help: "Do not start it before it is released with 'baton release'.")
    var hold = false

    @Option(help: ArgumentHelp("How often to try again after a failure; not at all unless given.", valueName: "n"))
    var retries: UInt16?

    @Option(
        help: ArgumentHelp(
            "The wait before the first retry, which doubles with each; 1s unless given.",
            valueName: "duration"
        ),
        transform: { (text: String) in try DurationOption.read(text) }
    )
    var retryDelay: Duration?

    @Option(
        help: ArgumentHelp(
            """
            What happens when its worker is lost: with onLoss it runs again, with never it fails, so that it runs at most \
            once; onLoss unless given.
            """,
            valueName: "policy"
        )
    )
    var restart: RestartPolicy?

    @Option(
        help: ArgumentHelp("How long an attempt may run before it is ended and has failed.", valueName: "duration"),
        transform: { (text: String) in try DurationOption.timeout(text) }
    )
    var timeout: Duration?

    @Option(
        help: ArgumentHelp(
            "The time between SIGTERM and SIGKILL when it is ended: a duration or forever; 5s unless given.",
            valueName: "duration"
        )
    )
    var grace: Work.GracePeriod?

    @Option(
        help: ArgumentHelp("How long after the submission it may start at the earliest.", valueName: "duration"),
        transform: { (text: String) in try DurationOption.read(text) }
    )
    var delay: Duration?

    @Option(
        help: ArgumentHelp(
            """
            Run this with sh -c once it is finished, whatever the outcome, which BATON_OUTCOME says. It needs no slot, but a \
            worker runs at most four such commands at once; --timeout bounds it too.
            """,
            valueName: "command"
        )
    )
    var onFinish: String?

    @Option(name: .customLong("env"), help: ArgumentHelp("Sets a variable for it.", valueName: "name=value"))
    var environment: [EnvironmentAssignment] = []

    @Option(
        help: ArgumentHelp("Its working directory; the current one unless given.", valueName: "directory"),
        completion: .directory
    )
    var cwd: String?

    @Option(
        help: ArgumentHelp("The file that it reads as standard input; none unless given.", valueName: "file"),
        completion: .file()
    )
    var stdin: String?

    @Option(
        help: ArgumentHelp(
            "Make one operation for each number; {} in the command is the number.",
            valueName: "first-last:step"
        ),
        transform: { (text: String) in try ArrayValues(range: text) }
    )
    var array: ArrayValues?

    @Option(
        help: ArgumentHelp(
            "Make one operation for each line of a file; {} in the command is the line.",
            valueName: "file"
        ),
        completion: .file()
    )
    var eachLine: String?

    @Option(
        help: ArgumentHelp(
            "A key: submitting the same again gives the same job; anything else is refused.",
            valueName: "key"
        ),
        transform: { (text: String) in try NameArgument.readKey(text) }
    )
    var key: String?

    @Option(
        help: ArgumentHelp("Take a graph of operations from a file; - is standard input.", valueName: "file"),
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

    /// The options given that a graph file has no use for.
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
