@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonProcesses
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonThreads

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The command `baton start`.
struct StartCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start",
        abstract: "Runs a coordinator and workers on this host, in the foreground or the background.",
        discussion: """
            SIGTERM and Ctrl-C end all processes in order; a second signal ends them at once. Executing operations are ended \
            without delay, unless --drain-timeout gives them time to finish; unfinished operations continue at the next start. \
            A worker that dies is started again; one that was stopped is not. If this process is killed, its workers go on with \
            what they execute and keep the results; the next start in the state directory adopts them, and "baton shutdown" ends \
            them. A worker whose program or options are no longer those of the start, or that --workers no longer includes, \
            finishes what it executes, and then makes room. Each worker gets the options for workers; without \
            --cpus and --memory, the processors and the memory are divided among them. SIGHUP has all processes read their files \
            again, as described for "baton coordinator"; on a terminal, and sent by a terminal that hangs up, it ends them.

            With --background, the command returns once the coordinator listens, and prints its address. The processes go on \
            without a terminal until "baton shutdown", and write to start.log in the state directory; that file is limited to 8 \
            MiB, and the lines before are in start.log.1. A failure to start is that of the command. Where a coordinator runs \
            already in the state directory, the command says so, starts nothing, and exits with 0.
            """,
        examples: [
            Example("baton start", "One worker with a slot for each processor"),
            Example("baton start --workers 2 --slots 4"),
            Example("baton start --background", "Until 'baton shutdown'"),
        ]
    )

    @Flag(help: "Run in the background, and return once the coordinator listens.")
    var background = false

    @Option(
        help: ArgumentHelp("Number of workers, from 1 (default: 1).", valueName: "n"),
        transform: { (text: String) in
            guard let workers = UInt16(text, radix: 10), workers > 0 else {
                throw ValidationError("Please provide a whole number from 1 to \(UInt16.max).")
            }
            return workers
        }
    )
    var workers: UInt16 = 1

    @Option(
        help: ArgumentHelp(
            """
            Maximum number of concurrent operations per worker (default: one for each processor of --cpus, or the processors, \
            divided among the workers).
            """,
            valueName: "n"
        )
    )
    var slots: UInt16?

    @Option(
        help: ArgumentHelp(
            "Time for executing operations to finish after SIGTERM or Ctrl-C, before they are ended (default: 0s).",
            valueName: "duration"
        ),
        transform: { (text: String) in try DurationOption.read(text) }
    )
    var drainTimeout: Duration?

    @OptionGroup var resources: WorkerResourceArguments
    @OptionGroup var output: OutputArguments
    @OptionGroup var log: LogArguments
    @OptionGroup var coordinator: CoordinatorArguments
    @OptionGroup var http: HTTPArguments
    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        if slots == 0 { throw ValidationError("A worker has at least one slot.") }
        if workers > 1, !resources.resource.isEmpty {
            throw ValidationError(
                "--resource is for one worker: several would share the units, which no two operations may do. Start workers "
                    + "with \"baton worker\", each with units of its own."
            )
        }
    }

    func run() async throws {
        let pipe = background ? ReadyPipe() : nil
        if background, pipe == nil {
            return try await BackgroundStart(global: global, workers: Int(workers)).perform()
        }
        do {
            try await runHere(pipe)
        } catch {
            pipe?.tell(CommandFailure(error))
            throw error
        }
    }

    /// Runs the processes until they are ended.
    ///
    /// - Parameter pipe: the pipe of a start in the background.
    private func runHere(_ pipe: ReadyPipe?) async throws {
        let reloads = ReloadRequests()
        let interruption = Interruption(at: reloads.endings)
        defer { withExtendedLifetime((interruption, reloads)) {} }
        let levelFile = try log.levelFile(global, label: "start")
        // Each worker and client uses a connection; operations run with the original limit.
        let openFiles = OpenFileLimit.raise()
        var options = try CoordinatorOptions.make(
            listen: nil,
            listenOption: "--coordinator with one address",
            store: .file(
                StoreName.file(
                    nil,
                    global,
                    otherwise:
                        "baton start keeps its record in a file. Start \"baton coordinator\" and \"baton worker\" for a record on "
                        + "PostgreSQL, or unset BATON_STORE."
                )
            ),
            coordinator: coordinator,
            logger: Logger(label: "coordinator", threshold: levelFile.threshold),
            global
        )
        let keeper = try OwnKeeper(coordinator, of: options)
        keeper.introduce(to: &options)
        let server = try CoordinatorServer(options)
        let logger = Logger(label: "start", threshold: levelFile.threshold)
        let web = try WebServer.start(
            http,
            of: server,
            home: global.homeDirectory,
            isInsecure: global.isInsecure,
            logger
        )
        defer { web?.stop() }
        try keeper.begin(at: server.endpoint)
        defer { keeper.stop() }
        server.announce()
        // The workers are in the way of the control groups that they make, unless this process makes room before.
        if resources.memoryControl != .sampling { MemoryGroups.makeRoom() }
        let fleet = try LocalWorkers(
            count: Int(workers),
            slots: slots.map(Int.init) ?? resources.cpus.map { max(1, $0 / 1_000) }
                ?? LocalWorkers.slotsOfEach(of: Int(workers)),
            resources: resources,
            coordinator: server.endpoint,
            home: global.homeDirectory,
            outliveStarter: true,
            isInsecure: global.isInsecure,
            drainTimeout: drainTimeout ?? .zero,
            outputLimit: output.outputLimit,
            filesLimit: output.filesLimit,
            openFiles: openFiles,
            logLevel: levelFile.usual,
            logger: logger
        )
        let logLimit = try pipe.map { _ in
            let log = try BackgroundLog(home: global.homeDirectory)
            return Task { await log.keepToLimit(STDERR_FILENO) }
        }
        defer { logLimit?.cancel() }
        reloads.onRequest {
            levelFile.read(logger)
            web?.reload(logger)
            server.reload()
            fleet.signal(SIGHUP)
        }
        interruption.beforeLeaving { fleet.stopNow() }
        fleet.start()
        interruption.onFirst {
            Task {
                // Stop the workers first, so that the coordinator still records the operations they end.
                await fleet.stop()
                server.stop()
            }
        }
        do {
            try pipe?.tellReady(at: server.endpoint)
            try await onOwnThread(named: "server") { () throws(CoordinatorError) in try server.run() }
        } catch {
            await fleet.stop()
            throw error
        }
        await fleet.stop()
    }
}
