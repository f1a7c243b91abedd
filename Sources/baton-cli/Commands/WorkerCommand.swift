@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonWorker

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
            The worker connects to the coordinator. While the coordinator is unreachable, the worker continues its executing \
            operations, unless --on-coordinator-lost says otherwise, and keeps their results. It starts prefetched operations \
            only as long as no other worker can have received them: for the coordinator's --reconcile-window or --lost-after, \
            whichever is shorter. After SIGTERM or Ctrl-C the worker starts nothing, returns what has not started, waits for its \
            executing operations up to --drain-timeout, ends the rest, and exits with 0. Operations that it ends run again \
            elsewhere, and no loss is counted. A second signal ends everything at once. SIGUSR1 is as the first SIGTERM with a wait \
            without a limit. SIGHUP has the worker read the level of its log again, and go on; on a terminal it means that the \
            terminal has hung up, and is as SIGTERM.
            """,
        examples: [
            Example("baton worker", "One slot for each processor"),
            Example("baton worker --idle-exit 5m --time-limit 2h", "In a job of a batch system"),
            Example("baton worker --name gpu1 --slots 2 --coordinator tcp://10.0.0.1:7461"),
            Example("baton worker --data tcp://10.0.0.2:7463", "Files go directly between workers"),
            Example("baton worker --resource gpu=2 --resource-env gpu=CUDA_VISIBLE_DEVICES --label zone=a"),
        ]
    )

    @Option(
        help: ArgumentHelp(
            """
            Maximum number of concurrent operations (default: one for each processor of --cpus, rounded down, at least one).
            """,
            valueName: "n"
        )
    )
    var slots: UInt16?

    @Option(
        help: ArgumentHelp(
            """
            Unique name of the worker (default: the host's name with a suffix; kept in the state directory, and used again by \
            the next unnamed worker there).
            """,
            valueName: "name"
        ),
        transform: { (text: String) in Name.normalized(text) }
    )
    var name: String?

    @Flag(
        help: """
            Replace a connected worker of the same name: its attempts are ended, and the operations run again as the next \
            attempt. Without --replace, a second worker with the name is refused until the first has left or is lost.
            """
    )
    var replace = false

    @Option(
        help: ArgumentHelp(
            """
            Action after the coordinator has been unreachable for --coordinator-deadline: continue has no deadline, and \
            executing operations continue; finish lets them continue, and starts no further prefetched operations; kill also \
            ends them, and they count as lost.
            """,
            valueName: "policy"
        )
    )
    var onCoordinatorLost = OnCoordinatorLost.continue

    @Option(
        help: ArgumentHelp(
            "Time without the coordinator before finish or kill takes effect (default: 10m).",
            valueName: "duration"
        ),
        transform: { (text: String) in try DurationOption.read(text) }
    )
    var coordinatorDeadline: Duration?

    @Option(
        help: ArgumentHelp(
            """
            Address at which other workers read the files of this worker directly: an address of this host, or a name that the \
            other hosts know; * as the port means any free port. The other workers have to reach the port. Files that cannot \
            go directly go through the coordinator, and so do all files without this option (default: none).
            """,
            valueName: "url"
        ),
        transform: { (text: String) throws -> String in
            if let objection = WorkerOptions.objection(toData: text) { throw ValidationError(objection) }
            return text
        }
    )
    var data: String?

    @OptionGroup var resources: WorkerResourceArguments
    @OptionGroup var leaving: LeavingArguments
    @OptionGroup var output: OutputArguments
    @OptionGroup var log: LogArguments
    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        if coordinatorDeadline != nil, onCoordinatorLost == .continue {
            throw ValidationError(
                "--coordinator-deadline has no effect with --on-coordinator-lost continue; use it with finish or kill."
            )
        }
        if slots == 0 { throw ValidationError("A worker has at least one slot.") }
        if let name, let objection = Name.objection(to: name) {
            throw ValidationError("'\(name.asShown)' cannot be a worker's name: \(objection).")
        }
    }

    func run() async throws {
        try global.checkCoordinator()
        let reloads = ReloadRequests()
        let levelFile = try log.levelFile(global, label: "worker")
        let logger = Logger(label: "worker", threshold: levelFile.threshold)
        let access = try global.keyLookup.access(
            for: [.worker],
            at: global.coordinator,
            isInsecure: global.isInsecure
        )
        var options = try WorkerOptions(
            coordinator: access.endpoint,
            name: name,
            slots: slots.map(Int.init) ?? resources.cpus.map { max(1, $0 / 1_000) } ?? AvailableProcessors().count,
            directory: global.homeDirectory + "/workers" + (name.map { "/" + $0 } ?? ""),
            replaces: replace,
            onCoordinatorLost: onCoordinatorLost.policy(after: coordinatorDeadline),
            // A slot uses several open files; operations run with the original limit.
            openFiles: .raise(),
            version: BatonVersion.current,
            logger: logger
        )
        options.security = access.security
        options.startsAllProcesses = true
        if let timeout = leaving.drainTimeout { options.drainTimeout = timeout }
        options.idleExit = leaving.idleExit
        options.timeLimit = leaving.timeLimit
        options.resources = resources.resources
        if let limit = output.outputLimit { options.outputLimit = limit }
        options.filesLimit = output.filesLimit
        options.data = data
        let worker = try WorkerProcess(options)
        reloads.onRequest {
            levelFile.read(logger)
            logger.notice("reloaded", metadata: ["logLevel": "\(logger.level.rawValue)", "worker": "\(worker.name)"])
        }
        let watcher = SignalWatcher(of: reloads.endings) { signal, count in
            switch count {
            case 1: worker.stop()
            case 2: worker.stopNow()
            default: CommandEnd.signal(signal).endProcess()
            }
        }
        let finishing = SignalWatcher(of: [SIGUSR1]) { _, _ in worker.finish() }
        defer { withExtendedLifetime((watcher, finishing, reloads)) {} }
        try await onOwnThread(named: "worker") { () throws(WorkerError) in
            try worker.run()
            // Exit from this thread: resuming the task might need a new thread, and the system may refuse a new thread.
            exit(ExitStatus.success)
        }
    }
}
