@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonSupply
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonWorker

/// The command `baton supply slurm`.
struct SupplySlurmCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "slurm",
        abstract: "Has Slurm run workers while there is work for them, until Ctrl-C.",
        discussion: """
            The command runs sbatch, squeue and scancel on its host, and asks the coordinator how many further workers would find \
            work. Operations that wait for dependencies, a limit or a resume do not count, nor those that such a worker could never \
            run: give --cpus, --memory, --resource and --label as for "baton worker", which gets them. The arguments after '--' go \
            to sbatch. One job is one worker, and its operations see SLURM_JOB_ID.

            A worker leaves after --idle-exit. With --time-limit, it takes nothing that declares a longer time than it has left, and \
            drains --drain-timeout and \(SlurmWorker.margin.text) before the end of its job; what has not finished then runs again \
            elsewhere, and no loss is counted.

            At the end of the command, what waits in Slurm is cancelled, and running workers go on. Started again with the same \
            --name, the command takes over the jobs that are there. After \(SupplySettings().mostFailures) failures in a row it \
            ends by itself, unless a job of it lives.
            """,
        examples: [
            Example(
                "baton supply slurm --slots 8 --time-limit 1h -- -p main",
                "Up to ten workers with 8 slots in a partition"
            ),
            Example("baton supply slurm --name gpu --resource gpu=1 -- --gres=gpu:1", "Workers with a GPU each"),
            Example("baton supply slurm --max-workers 100 --backlog 5 -- --account=physics -o /dev/null"),
        ]
    )

    @Option(
        help: ArgumentHelp(
            "Name of the supply, and of its jobs and workers behind 'baton-'; two that run at once need two names (default: slurm).",
            valueName: "name"
        ),
        transform: { (text: String) throws -> String in
            guard ResourceName.isValid(text), text.utf8.count <= 40 else {
                throw ValidationError(
                    "'\(text.asShown)' cannot name a supply: it starts with a letter, and has only letters, digits, dots, hyphens "
                        + "and underscores, at most 40 of them."
                )
            }
            return text
        }
    )
    var name: String?

    @Option(
        help: ArgumentHelp(
            "Operations that each worker runs at once (default: one for each processor of --cpus, at least one).",
            valueName: "n"
        )
    )
    var slots: UInt16?

    @Option(help: ArgumentHelp("Most jobs that wait in Slurm at once (default: 1).", valueName: "n"))
    var backlog: UInt16?

    @Option(help: ArgumentHelp("Most jobs that wait or run at once (default: 10).", valueName: "n"))
    var maxWorkers: UInt16?

    @Option(
        help: ArgumentHelp(
            "Time limit of each job, in whole minutes (default: that of the partition).",
            valueName: "duration"
        ),
        transform: { (text: String) in try DurationOption.read(text) }
    )
    var timeLimit: Duration?

    @Option(
        help: ArgumentHelp(
            "Time for executing operations to finish before the end of a job with --time-limit (default: 40s).",
            valueName: "duration"
        ),
        transform: { (text: String) in try DurationOption.read(text) }
    )
    var drainTimeout: Duration?

    @Option(
        help: ArgumentHelp(
            "Time without anything to do after which a worker leaves (default: 5m).",
            valueName: "duration"
        ),
        transform: { (text: String) in try DurationOption.read(text) }
    )
    var idleExit: Duration?

    @Option(
        help: ArgumentHelp("Path of baton on the nodes (default: that of this program).", valueName: "path"),
        completion: .file()
    )
    var program: String?

    @Option(
        help: ArgumentHelp(
            "Time between two looks at Slurm while a job of the supply lives (default: 10s).",
            valueName: "duration"
        ),
        transform: { (text: String) in try DurationOption.read(text) }
    )
    var every: Duration?

    @Flag(help: "Do not ask Slurm at the start whether it would take such a job.")
    var noDryRun = false

    @Flag(help: "Leave what waits in Slurm at the end, for the next run of the supply.")
    var keepQueued = false

    @OptionGroup var resources: WorkerResourceArguments

    @Argument(parsing: .postTerminator, help: "Arguments of sbatch, after '--'.")
    var arguments: [String] = []

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        if slots == 0 { throw ValidationError("A worker has at least one slot.") }
        if backlog == 0 { throw ValidationError("A supply with a backlog of 0 could submit nothing.") }
        if maxWorkers == 0 { throw ValidationError("A supply of 0 workers could submit nothing.") }
        if timeLimit == .zero { throw ValidationError("A worker with a time limit of 0s could do nothing.") }
        if let every, every < .seconds(1) { throw ValidationError("Slurm is looked at once a second at most.") }
        if let objection = worker(arguments: []).objection { throw ValidationError(objection) }
        if let objection = SlurmCommands.objection(to: arguments) { throw ValidationError(objection) }
    }

    /// The worker of each job.
    private func worker(arguments: [String]) -> SlurmWorker {
        SlurmWorker(
            program: program ?? Surroundings.ownProgram,
            slots: slots.map(Int.init) ?? resources.cpus.map { max(1, $0 / 1_000) } ?? 1,
            cpus: resources.cpus,
            memory: resources.memory,
            timeLimit: timeLimit,
            drainTimeout: drainTimeout ?? .seconds(40),
            idleExit: idleExit ?? .seconds(300),
            arguments: arguments
        )
    }

    /// What each worker would have for operations.
    private func offered(by worker: SlurmWorker) -> OfferedWorker {
        let resources = resources.resources
        return OfferedWorker(
            slots: worker.slots,
            cpus: resources.cpus,
            memory: resources.memory,
            resources: resources.amounts,
            labels: resources.labels,
            time: worker.time
        )
    }

    func run() async throws {
        let place = try SupplyPlace(of: name ?? "slurm", home: try global.homeDirectory)
        // After a first answer, wait for an absent coordinator for as long as the user supplies workers.
        let connection = try global.connect(awayLimit: .longestAllowed)
        var words = resources.arguments + ["--coordinator", connection.endpoint]
        if global.home != nil { words += try ["--home", global.homeDirectory] }
        if try global.isInsecure { words.append("--insecure") }
        let worker = worker(arguments: words)
        let commands = SlurmCommands(supply: name ?? "slurm", worker: worker, arguments: arguments)
        let programs = try SlurmPrograms()
        defer { programs.shutDown() }
        _ = try await connection.document(.demand(offered(by: worker)), timeout: GlobalOptions.answerTimeout)
        if !noDryRun { try await tryOut(commands, with: programs) }
        if global.json { Output.leaveWhenUnread() }
        let run = try SupplyRun(
            commands,
            offering: offered(by: worker),
            SupplySettings(backlog: Int(backlog ?? 1), maximumWorkers: Int(maxWorkers ?? 10)),
            at: place,
            programs,
            on: connection,
            every: every ?? .seconds(10),
            isJSON: global.json,
            isQuiet: global.quiet
        )
        try await perform(run)
    }

    /// Asks Slurm whether it would take a job.
    private func tryOut(_ commands: SlurmCommands, with programs: SlurmPrograms) async throws {
        let run = try await programs.run(commands.test)
        // A Slurm that does not answer may do so later.
        guard run.end != .late, let failure = run.failure else { return }
        throw CommandFailure(
            ExitStatus.refusedInput,
            code: "slurm",
            "Slurm would not take a job of this supply. \(failure)",
            advice: "Correct what follows '--', or give --no-dry-run to submit all the same."
        )
    }

    private func perform(_ run: SupplyRun) async throws {
        let interruption = Interruption()
        defer { withExtendedLifetime(interruption) {} }
        let work = Task {
            var run = run
            do {
                try await run.run()
                return (run, nil as (any Error)?)
            } catch {
                return (run, error)
            }
        }
        interruption.onFirst { work.cancel() }
        let (ended, error) = await work.value
        let running = ended.supply.liveCount - ended.supply.queuedJobs.count
        var cancelled = 0
        if !keepQueued { cancelled = try await ended.cancelQueued().count }
        if !global.quiet, cancelled + running > 0 {
            Output.note("Jobs that waited and are cancelled: \(cancelled). Workers that go on: \(running).")
        }
        if let signal = interruption.signal { throw QuietExit(signal: signal) }
        if let error { throw error }
    }
}
