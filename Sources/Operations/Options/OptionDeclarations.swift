/// The table of options: each option of an operation, declared once, in the order of the help.
///
/// A new option gets the next free number and, if a worker has to know the option, the next version of the option set. The
/// properties are public, because Swift programs set options by them; ``OperationOption`` says what else follows from a
/// declaration.
public struct OptionDeclarations: Sendable {
    /// The priority in the queue, as a number that moves to the nearest level.
    public let priority = OptionDeclaration(
        12,
        "priority",
        .priority,
        in: .entry(.at({ $0.priority }, { $0.priority = $1 }, default: .normal)),
        noun: "priority",
        valueName: "priority",
        help:
            "Priority within its queue: a name, or a number; -8 and below are the lowest, 8 and above the highest."
    )
    /// The quality of service, as a word such as `utility`; nil for that of the queue.
    public let qos = OptionDeclaration(
        10,
        "qos",
        .word(QualityOfService.allCases.map(\.description)),
        in: .template(.at({ $0.qualityOfService }, { $0.qualityOfService = $1 })),
        noun: "quality of service",
        valueName: "class",
        help: "Quality of service: the share of processor time and disk (default: that of the queue)."
    )
    /// The niceness of a command, added to that of its quality of service.
    public let nice = OptionDeclaration(
        6,
        "nice",
        .number(0...19),
        in: .work(.at({ $0.niceness }, { $0.niceness = $1 }, default: 0)),
        since: 2,
        isForCommands: true,
        noun: "niceness",
        valueName: "n",
        help:
            "Niceness of the command, added to that of its quality of service; the sum is at most 19 (default: 0)."
    )
    /// Whether the operation is a barrier.
    public let barrier = OptionDeclaration(
        15,
        "barrier",
        .flag,
        in: .entry(.at({ $0.isBarrier }, { $0.isBarrier = $1 }, default: false)),
        noun: "barrier",
        help: "Run alone in the queue: after all operations added before, and before all added later."
    )
    /// Whether the operation waits for a release.
    public let hold = OptionDeclaration(
        14,
        "hold",
        .flag,
        in: .entry(.at({ $0.isHeld }, { $0.isHeld = $1 }, default: false)),
        noun: "hold",
        help: "Hold the operation until it is released."
    )
    /// The limit of an array; a single operation with a limit is refused.
    public let maxConcurrent = OptionDeclaration(
        25,
        "maxConcurrent",
        .number(1...Int64(Int32.max)),
        in: .template(.at({ $0.maxConcurrent }, { $0.maxConcurrent = $1 })),
        since: 4,
        noun: "limit of the array",
        valueName: "n",
        help: """
            Maximum number of operations of the array that execute at once, in the whole cluster; --array 1-1000%20 says the \
            same.
            """
    )
    /// The number of retries after a failure.
    public let retries = OptionDeclaration(
        7,
        "retries",
        .number(0...Int64(UInt16.max)),
        in: .template(.at({ $0.retries }, { $0.retries = $1 }, default: 0)),
        noun: "number of retries",
        valueName: "n",
        help: "Number of retries after a failure (default: 0)."
    )
    /// The delay before the first retry, which each further retry doubles.
    public let retryDelay = OptionDeclaration(
        8,
        "retryDelay",
        .duration,
        in: .template(.at({ $0.retryDelay }, { $0.retryDelay = $1 }, default: .seconds(1))),
        noun: "retry delay",
        valueName: "duration",
        help: "Delay before the first retry; each further retry doubles it, a quarter more or less (default: 1s)."
    )
    /// The longest delay before a retry; nil for a day, or for the first delay if that is longer.
    public let retryDelayLimit = OptionDeclaration(
        26,
        "retryDelayLimit",
        .duration,
        in: .template(.at({ $0.retryDelayLimit }, { $0.retryDelayLimit = $1 })),
        since: 5,
        noun: "limit of the retry delay",
        valueName: "duration",
        help: "Longest delay before a retry (default: 1d, or --retry-delay if that is longer)."
    )
    /// The ends of attempts that are worth a retry; empty for all that the other two settings do not name.
    public let retryOn = OptionDeclaration(
        27,
        "retryOn",
        .ends,
        in: .template(
            .at(
                { EndConditionsForm($0.retryOn) },
                { $0.retryOn = $1.conditions },
                default: EndConditionsForm([])
            )
        ),
        since: 5,
        noun: "list of ends with a retry",
        valueName: "ends",
        help: """
            Retry only after these ends, such as 75,timeout,memory: exit statuses, ranges of them, and the reasons exit, signal, \
            timeout, memory, launch, result, files and error (default: after all).
            """
    )
    /// The ends of attempts that are not worth a retry, also if `retryOn` names them.
    public let noRetryOn = OptionDeclaration(
        28,
        "noRetryOn",
        .ends,
        in: .template(
            .at(
                { EndConditionsForm($0.noRetryOn) },
                { $0.noRetryOn = $1.conditions },
                default: EndConditionsForm([])
            )
        ),
        since: 5,
        noun: "list of ends without a retry",
        valueName: "ends",
        help: "Do not retry after these ends, such as 64-66, also if --retry-on names them (default: none)."
    )
    /// The exit statuses that end the operation as failed, whatever is left of its retries.
    public let finalStatus = OptionDeclaration(
        29,
        "finalStatus",
        .statuses,
        in: .template(
            .at(
                { EndConditionsForm($0.finalStatus) },
                { $0.finalStatus = $1.conditions },
                default: EndConditionsForm([])
            )
        ),
        since: 5,
        noun: "list of final statuses",
        valueName: "statuses",
        help: """
            Exit statuses by which the command says that no retry will help, by convention 100: the operation has failed, whatever \
            is left of its retries (default: none).
            """
    )
    /// What a lost worker means: `onLoss` or `never`.
    public let restart = OptionDeclaration(
        9,
        "restart",
        .word(RestartPolicy.allCases.map(\.description)),
        in: .template(.at({ $0.restart }, { $0.restart = $1 }, default: .onLoss)),
        noun: "restart",
        valueName: "policy",
        help: """
            What to do when its worker is lost: onLoss runs the operation again; never fails it, so that it runs at most \
            once (default: onLoss).
            """
    )
    /// The time limit of each attempt; nil for none.
    public let timeout = OptionDeclaration(
        4,
        "timeout",
        .timeLimit,
        in: .work(.at({ $0.timeout }, { $0.timeout = $1 })),
        noun: "timeout",
        valueName: "duration",
        help: """
            Time limit of each attempt; an attempt that exceeds it is ended and fails. With a range such as 1h..8h, each retry \
            after that doubles it.
            """
    )
    /// The longest time limit of an attempt, up to which each retry of one that exceeded it doubles the timeout; nil for none.
    public let timeoutUpTo = OptionDeclaration(
        30,
        "timeoutUpTo",
        .timeLimit,
        in: .template(.at({ $0.timeoutUpTo }, { $0.timeoutUpTo = $1 })),
        since: 5,
        surface: .rangeEnd(of: "timeout"),
        noun: "end of the range of the timeout"
    )
    /// The longest time that an attempt is expected to take; nil for unknown.
    public let expected = OptionDeclaration(
        16,
        "expected",
        .duration,
        in: .template(.at({ $0.expected }, { $0.expected = $1 })),
        since: 2,
        maySkip: true,
        noun: "expected duration",
        valueName: "duration",
        help: """
            Longest time that an attempt is expected to take. It limits nothing: a worker with a time limit gets the operation \
            only while it has that much time left.
            """
    )
    /// The time between SIGTERM and SIGKILL when an attempt is ended.
    public let grace = OptionDeclaration(
        5,
        "grace",
        .durationOrForever,
        in: .work(.at({ $0.gracePeriod }, { $0.gracePeriod = $1 }, default: Work.defaultGracePeriod)),
        noun: "grace period",
        valueName: "duration",
        help: "Time between SIGTERM and SIGKILL when an attempt is ended: a duration, or forever (default: 5s)."
    )
    /// The signal that asks the processes of an attempt to end, in place of SIGTERM.
    public let stopSignal = OptionDeclaration(
        32,
        "stopSignal",
        .word(OperationSignal.endings.map(\.rawValue)),
        in: .work(.at({ $0.stopSignal }, { $0.stopSignal = $1 }, default: .terminate)),
        since: 6,
        isForCommands: true,
        noun: "stop signal",
        valueName: "signal",
        help: "Signal that asks the command to end, in place of SIGTERM, such as INT (default: TERM)."
    )
    /// The earliest start, counted from the submission; nil for none.
    public let delay = OptionDeclaration(
        13,
        "delay",
        .duration,
        in: .entry(.at({ $0.delay }, { $0.delay = $1 })),
        noun: "delay",
        valueName: "duration",
        help: "Earliest start, counted from the submission; the time without a coordinator does not count."
    )
    /// The latest end, counted from the submission; nil for none.
    public let deadline = OptionDeclaration(
        33,
        "deadline",
        .deadline,
        in: .template(.at({ $0.deadline }, { $0.deadline = $1 })),
        since: 5,
        noun: "deadline",
        valueName: "time",
        help: """
            Latest end: a duration from the submission, or a time as for --begin. What has not ended then fails: it is not started \
            any more, or is ended as by a timeout, without a retry. With --file, the deadline of the job.
            """
    )
    /// The program, with its arguments, that runs after the end; nil for none.
    public let onFinish = OptionDeclaration(
        11,
        "onFinish",
        .command,
        in: .template(.at({ $0.onFinish }, { $0.onFinish = $1 })),
        noun: "command to run on the finish",
        valueName: "command",
        help: """
            Shell command to run after the operation has finished; BATON_OUTCOME has the outcome. It needs no slot; a worker \
            runs at most four such commands at once, and --timeout limits them too.
            """
    )
    /// Which attempts leave the result that they wrote: `onSuccess` or `always`.
    public let keepResult = OptionDeclaration(
        35,
        "keepResult",
        .word(ResultKeeping.allCases.map(\.rawValue)),
        in: .work(.at({ $0.keepResult }, { $0.keepResult = $1 }, default: .onSuccess)),
        since: 6,
        isForCommands: true,
        noun: "rule for results",
        valueName: "when",
        help: """
            Whether to keep the result of an operation that did not succeed: always keeps what its last attempt wrote, also if \
            it failed or was cancelled (default: onSuccess).
            """
    )
    /// What the files with the results of elements are called by: `number` or `item`.
    public let inputNames = OptionDeclaration(
        37,
        "inputNames",
        .word(InputNaming.allCases.map(\.rawValue)),
        in: .template(.at({ $0.inputNames }, { $0.inputNames = $1 }, default: .number)),
        since: 5,
        isForCommands: true,
        noun: "rule for the names of inputs",
        valueName: "what",
        help: """
            What the files of BATON_INPUTS with the results of an array's elements are called by: test.0 by the number of the \
            element, or test.unit by its item (default: number).
            """
    )
    /// The files that a successful operation leaves, as patterns below its directory.
    public let outputs = OptionDeclaration(
        38,
        "outputs",
        .patterns,
        in: .work(.at({ $0.outputs }, { $0.outputs = $1 }, default: [])),
        since: 7,
        isForCommands: true,
        noun: "list of outputs",
        valueName: "glob",
        help: """
            Files below the directory of the command that its worker keeps when the command succeeds, such as '*.bam', or \
            report/ for everything in a directory. Dependent operations find them in BATON_INPUTS. Without a match the \
            operation fails, unless a question mark follows the pattern.
            """
    )
    /// How many workers keep each of the files that a successful operation leaves.
    public let copies = OptionDeclaration(
        41,
        "copies",
        .number(Int64(Work.allowedCopies.lowerBound)...Int64(Work.allowedCopies.upperBound)),
        in: .work(.at({ CopiesForm($0.copies) }, { $0.copies = $1.number }, default: CopiesForm(1))),
        since: 7,
        isForCommands: true,
        noun: "number of copies",
        valueName: "n",
        help: """
            How many workers keep each file of --outputs, up to 16, if as many have room (default: 1). No operation waits for \
            further copies. A lost copy is made again from another one.
            """
    )
    /// The places in the workspace of files that dependencies left, by patterns below `BATON_INPUTS`.
    public let inputs = OptionDeclaration(
        40,
        "inputs",
        .picks,
        named: "pick",
        in: .work(.at({ PicksForm($0.picks) }, { $0.picks = $1.places }, default: PicksForm([:]))),
        since: 7,
        isForCommands: true,
        noun: "list of picked inputs",
        valueName: "glob=place",
        help: """
            Files of BATON_INPUTS and their place in the fresh workspace of the command: 'align/*.bam=in/' puts them into the \
            directory in/ under their own names, align/=in/ keeps the directories below align, and align/x.bam=y.bam makes one \
            file y.bam. The files cannot be written. Without a match the attempt fails, unless a question mark follows the \
            pattern.
            """
    )
    /// Where the command runs: `shared` or `fresh`.
    public let workspace = OptionDeclaration(
        39,
        "workspace",
        .word(Workspace.allCases.map(\.rawValue)),
        in: .work(.at({ $0.workspace }, { $0.workspace = $1 }, default: .shared)),
        since: 7,
        isForCommands: true,
        noun: "workspace",
        valueName: "kind",
        help: """
            Directory of the command: fresh gives each attempt an empty directory of its own, which is removed once its \
            --outputs are kept; shared means the directory of --cwd (default: shared).
            """
    )
    /// The processors of the worker that the operation takes.
    public let cpus = OptionDeclaration(
        17,
        "cpus",
        .processors,
        in: .template(.at({ ProcessorsForm($0.cpus) }, { $0.cpus = $1.thousandths }, default: ProcessorsForm(0))),
        since: 3,
        maySkip: true,
        noun: "number of processors",
        valueName: "n",
        help: """
            Processors of the worker that the operation takes, such as 2 or 0.5, in addition to one slot (default: 0).
            """
    )
    /// The memory of the worker that the operation takes, in bytes; nil for none.
    public let memory = OptionDeclaration(
        18,
        "memory",
        .size,
        in: .work(.at({ $0.memory.map(SizeForm.init) }, { $0.memory = $1?.bytesAskedFor })),
        since: 3,
        noun: "memory",
        valueName: "size",
        help: """
            Memory of the worker that the operation takes, such as 512M or 2G; at least 1M. A command that uses more is killed, \
            and its operation fails; with a range such as 2G..16G, each retry after that doubles it (default: none taken, no \
            limit).
            """
    )
    /// The most memory of an attempt in bytes, up to which each retry of one that used more doubles the memory; nil for none.
    public let memoryUpTo = OptionDeclaration(
        31,
        "memoryUpTo",
        .size,
        in: .template(.at({ $0.memoryUpTo.map(SizeForm.init) }, { $0.memoryUpTo = $1?.bytesAskedFor })),
        since: 5,
        surface: .rangeEnd(of: "memory"),
        noun: "end of the range of the memory"
    )
    /// The units of named resources of the worker that the operation takes.
    public let resources = OptionDeclaration(
        19,
        "resources",
        .amounts,
        named: "resource",
        in: .work(.at({ AmountsForm($0.resources) }, { $0.resources = $1.amounts }, default: AmountsForm([:]))),
        since: 3,
        noun: "resources",
        valueName: "name=amount",
        help: """
            Units of a resource of the worker that the operation takes, such as gpu=2; BATON_RESOURCE_GPU has the numbers of \
            its units.
            """
    )
    /// The units of the cluster's shared limits that the operation takes while it is at a worker.
    public let take = OptionDeclaration(
        34,
        "take",
        .amounts,
        in: .template(.at({ AmountsForm($0.take) }, { $0.take = $1.amounts }, default: AmountsForm([:]))),
        since: 5,
        noun: "units of shared limits",
        valueName: "name=amount",
        help: """
            Units of a limit that several queues share, such as licence=1, in the whole cluster; the operation takes all that it \
            names when it starts, or waits and takes none. "baton limit set" makes a limit.
            """
    )
    /// The conditions for the labels of the worker, which all have to hold.
    public let labels = OptionDeclaration(
        20,
        "labels",
        .conditions,
        named: "label",
        in: .template(
            .at({ ConditionsForm($0.labels) }, { $0.labels = $1.conditions }, default: ConditionsForm([]))
        ),
        since: 3,
        maySkip: true,
        noun: "label conditions",
        valueName: "condition",
        help:
            "Condition for the labels of the worker: zone=a, zone!=b or \"arch in (x,y)\"; all conditions must hold."
    )
    /// The environment variables of a command.
    public let env = OptionDeclaration(
        1,
        "env",
        .variables,
        in: .work(.at({ $0.environment }, { $0.environment = $1 }, default: [:])),
        visibility: .names,
        noun: "environment",
        valueName: "name=value",
        help: "Environment variable of the command; the name alone takes its value here."
    )
    /// The working directory of a command.
    public let cwd = OptionDeclaration(
        2,
        "cwd",
        .directory,
        in: .work(.at({ $0.directory }, { $0.directory = $1 })),
        noun: "directory",
        valueName: "directory",
        help: "Working directory of the command (default: the current directory)."
    )
    /// The permissions that the files of a command do not get; nil for the worker's own.
    public let umask = OptionDeclaration(
        36,
        "umask",
        .mask,
        in: .work(.at({ $0.umask }, { $0.umask = $1 })),
        since: 6,
        maySkip: true,
        isForCommands: true,
        noun: "umask",
        valueName: "mask",
        help: """
            Permissions that the files of the command do not get, such as 027 (default: those of submit or run if they are \
            not 022, and else those of the worker).
            """
    )
    /// The file for the standard input of a command; nil for none.
    public let stdin = OptionDeclaration(
        3,
        "stdin",
        .file,
        in: .work(.at({ $0.standardInput }, { $0.standardInput = $1 })),
        visibility: .presence,
        noun: "file for standard input",
        valueName: "file",
        help: "File for the standard input of the command; - sends what is read here, up to 64 MiB (default: none)."
    )
    /// The file for the standard output of a command; nil for Baton's log.
    public let stdout = OptionDeclaration(
        23,
        "stdout",
        .outputFile,
        in: .work(.at({ $0.outputFile }, { $0.outputFile = $1 })),
        since: 5,
        isForCommands: true,
        noun: "file for standard output",
        valueName: "file",
        help: """
            File for the standard output of the command, instead of Baton's log. {job}, {index}, {operation}, {name}, \
            {attempt} and {item} are filled, and directories are made; each attempt empties the file, unless the path begins \
            with >>.
            """
    )
    /// The file for the standard error of a command; nil for Baton's log.
    public let stderr = OptionDeclaration(
        24,
        "stderr",
        .outputFile,
        in: .work(.at({ $0.errorFile }, { $0.errorFile = $1 })),
        since: 5,
        isForCommands: true,
        noun: "file for standard error",
        valueName: "file",
        help:
            "File for the standard error of the command, as for --stdout; with the same path, both share the file."
    )
    /// The bytes for the standard input of a command; nil for none.
    public let input = OptionDeclaration(
        21,
        "input",
        .data,
        in: .work(.at({ $0.input.map(InputForm.init) }, { $0.input = $1?.bytes })),
        since: 4,
        isForCommands: true,
        visibility: .presence,
        surface: .graphFiles,
        noun: "standard input"
    )
    /// The names of the columns of an array of rows; they are for arrays.
    public let columns = OptionDeclaration(
        22,
        "columns",
        .columns,
        in: .work(.at({ ColumnsForm($0.columns) }, { $0.columns = $1.names }, default: ColumnsForm([]))),
        since: 4,
        isForCommands: true,
        surface: .graphFiles,
        noun: "columns"
    )
}

@_spi(Baton) extension OptionDeclarations {
    /// The one table.
    public static let shared = OptionDeclarations()
}

@_spi(Baton) extension OperationOption {
    /// All options of an operation, in the order of the help.
    ///
    /// A list, because reflection over the table would take milliseconds of each start of a program; a test compares both.
    public static let all: [OperationOption] = {
        let table = OptionDeclarations.shared
        return [
            table.priority.option, table.qos.option, table.nice.option, table.barrier.option,
            table.hold.option, table.maxConcurrent.option, table.retries.option, table.retryDelay.option,
            table.retryDelayLimit.option, table.retryOn.option, table.noRetryOn.option, table.finalStatus.option,
            table.restart.option, table.timeout.option, table.timeoutUpTo.option, table.expected.option,
            table.grace.option, table.stopSignal.option, table.delay.option, table.deadline.option,
            table.onFinish.option, table.keepResult.option, table.inputNames.option, table.outputs.option,
            table.copies.option, table.inputs.option, table.workspace.option, table.cpus.option, table.memory.option,
            table.memoryUpTo.option, table.resources.option, table.take.option, table.labels.option, table.env.option,
            table.cwd.option, table.umask.option,
            table.stdin.option, table.stdout.option, table.stderr.option, table.input.option,
            table.columns.option,
        ]
    }()
}
