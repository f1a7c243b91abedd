@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonProcesses
@_spi(Baton) import BatonThreads

/// The command `baton start`.
struct StartCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start",
        abstract: "Runs a coordinator and workers on this host in the foreground.",
        discussion: """
            SIGTERM and Ctrl-C end all processes in order; a second signal ends them at once. Executing operations are ended \
            without delay, unless --drain-timeout gives them time to finish; unfinished operations continue at the next start. \
            A worker that dies is started again; one that was stopped is not.
            """,
        examples: [
            Example("baton start", "One worker with a slot for each processor"),
            Example("baton start --workers 2 --slots 4"),
        ]
    )

    @Option(help: ArgumentHelp("Number of workers.", valueName: "n"))
    var workers: UInt16 = 1

    @Option(
        help: ArgumentHelp(
            "Maximum number of concurrent operations per worker (default: the processors, divided among the workers).",
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

    @OptionGroup var output: OutputArguments
    @OptionGroup var coordinator: CoordinatorArguments
    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        if workers == 0 { throw ValidationError("Start at least one worker.") }
        if slots == 0 { throw ValidationError("A worker has at least one slot.") }
    }

    func run() async throws {
        let interruption = Interruption()
        defer { withExtendedLifetime(interruption) {} }
        // Each worker and client uses a connection; operations run with the original limit.
        let openFiles = OpenFileLimit.raise()
        let server = try CoordinatorServer(
            .make(
                listen: nil,
                store: nil,
                coordinator: coordinator,
                level: global.logLevel,
                global
            )
        )
        let logger = Logger(label: "start", level: global.logLevel)
        let fleet = try LocalWorkers(
            count: Int(workers),
            slots: slots.map(Int.init) ?? LocalWorkers.slotsOfEach(of: Int(workers)),
            coordinator: server.endpoint,
            home: global.homeDirectory,
            isInsecure: global.isInsecure,
            drainTimeout: drainTimeout ?? .zero,
            outputLimit: output.outputLimit,
            openFiles: openFiles,
            logger: logger
        )
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
            try await onOwnThread { () throws(CoordinatorError) in try server.run() }
        } catch {
            await fleet.stop()
            throw error
        }
        await fleet.stop()
    }
}
