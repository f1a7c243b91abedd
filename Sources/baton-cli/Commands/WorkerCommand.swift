import BatonArguments
import BatonLogging
import BatonOperations
import BatonProcesses
import BatonThreads
import BatonWorker

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The command `baton worker`.
struct WorkerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worker",
        abstract: "Runs a worker in the foreground.",
        discussion: """
            It dials the coordinator. While the coordinator is away, it goes on with what it runs, unless \
            --on-coordinator-lost says otherwise, and keeps the results; what it was sent ahead it starts only as long as \
            nobody else can have been given it: for the coordinator's --reconcile-window, or its --lost-after where that is \
            shorter. SIGTERM and Ctrl-C end \
            it in order, with the operations that it runs; a second one ends them at once.
            """,
        examples: [
            Example("baton worker", "One slot for each processor"),
            Example("baton worker --name gpu1 --slots 2 --coordinator tcp://10.0.0.1:7461"),
        ]
    )

    @Option(
        help: ArgumentHelp("How many operations it runs at once; one for each processor unless given.", valueName: "n")
    )
    var slots: UInt16?

    @Option(
        help: ArgumentHelp(
            """
            Its name, which no other worker has; unless given, the host's and some letters, which the next worker of this home \
            without a name has again.
            """,
            valueName: "name"
        ),
        transform: { (text: String) in Name.normalized(text) }
    )
    var name: String?

    @Flag(
        help: """
            Take the place of the worker of that name that is there: what it runs is ended, and runs again as the next attempt. \
            Without this, a second worker of a name is refused until the first has left or is lost.
            """
    )
    var replace = false

    @Option(
        help: ArgumentHelp(
            """
            What it does once the coordinator has been away for longer than --coordinator-deadline: continue knows no deadline \
            and lets run what runs; finish does the same, and starts nothing more from then on, where the deadline comes before \
            the end of the time in which it may start what it was sent; kill also ends what runs, which counts as lost.
            """,
            valueName: "policy"
        )
    )
    var onCoordinatorLost = OnCoordinatorLost.continue

    @Option(
        help: ArgumentHelp(
            "How long the coordinator may be away before it has to finish or kill; 10m unless given.",
            valueName: "duration"
        ),
        transform: { (text: String) in try DurationOption.read(text) }
    )
    var coordinatorDeadline: Duration?

    @OptionGroup var output: OutputArguments
    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        if coordinatorDeadline != nil, onCoordinatorLost == .continue {
            throw ValidationError(
                "A worker that continues knows no deadline: give --coordinator-deadline with --on-coordinator-lost finish or kill."
            )
        }
        if slots == 0 { throw ValidationError("A worker has at least one slot.") }
        if let name, let objection = Name.objection(to: name) {
            throw ValidationError("'\(name.asShown)' cannot be a worker's name: \(objection).")
        }
    }

    func run() async throws {
        var options = try WorkerOptions(
            coordinator: global.endpoint,
            name: name,
            slots: slots.map(Int.init) ?? Surroundings.processorCount,
            directory: global.homeDirectory + "/workers" + (name.map { "/" + $0 } ?? ""),
            replaces: replace,
            onCoordinatorLost: onCoordinatorLost.policy(after: coordinatorDeadline),
            // A slot uses several open files; operations run with the original limit.
            openFiles: .raise(),
            version: BatonVersion.current,
            logger: Logger(label: "worker", level: global.logLevel)
        )
        if let limit = output.outputLimit { options.outputLimit = limit }
        let worker = try WorkerProcess(options)
        let watcher = SignalWatcher { signal, count in
            switch count {
            case 1: worker.stop()
            case 2: worker.stopNow()
            default: _exit(ExitStatus.signal(signal))
            }
        }
        defer { withExtendedLifetime(watcher) {} }
        try await onOwnThread { () throws(WorkerError) in
            try worker.run()
            // Exit from this thread: resuming the task might need a new thread, and the system may refuse a new thread.
            exit(ExitStatus.success)
        }
    }
}
