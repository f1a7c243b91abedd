@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonBenchmarks
@_spi(Baton) import BatonOperations

/// The command `baton bench`.
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measures the throughput, latency and resource use of operations.",
        discussion: """
            For each round, bench starts a coordinator and workers as separate processes, with a store on disk. With \
            --coordinator it uses a running cluster instead, and does not measure the resources of its processes. Operations do \
            nothing, or run the command after '--'.

            Scenarios: array (equal operations without dependencies), graph (each operation depends on two random earlier \
            operations), chain (each depends on the previous operation), fan (all depend on the first, and the last on all), \
            layers (random dependencies between layers), submit-array and submit-graph (only the submission, without workers; \
            the graph is a file), queries (status, show and list with many operations), single (one operation on an idle \
            cluster, by a connected client and by baton run), dispatch (a chain during the submission of many operations), \
            restart (a coordinator that is killed and started again among many waiting operations), idle (no operations).

            What users notice, in answers of list, links of a chain and whole commands, alone and during a large request: \
            arrive-array, arrive-graph (equal operations with two dependencies each), arrive-different (a command of its own \
            for each operation), arrive-lines (these as a file with an operation a line), arrive-http (these over HTTP), \
            cancel (the cancellation of such a job).

            Default: all scenarios with fewer than a million operations.

            With --json, the key 'scenarios' has the 'figures' of each scenario: for each figure the median, minimum and \
            maximum of the rounds.
            """,
        examples: [
            Example("baton bench", "The default scenarios, in seconds"),
            Example("baton bench array --slots 2 --repeat 5 -- /bin/true", "Processes per second"),
            Example("baton bench array --waiting 1000000", "The effect of a million waiting operations"),
            Example("baton bench arrive-lines cancel", "What users notice while a million operations come and go"),
            Example("baton bench submit-graph dispatch --json", "JSON for a script"),
        ]
    )

    @Option(help: ArgumentHelp("Number of operations (default: depends on the scenario).", valueName: "n"))
    var operations: UInt32?

    @Option(help: ArgumentHelp("Number of workers of the benchmark's own cluster.", valueName: "n"))
    var workers: UInt16?

    @Option(
        help: ArgumentHelp(
            "Maximum number of concurrent operations per worker (default: the processors, divided among the workers).",
            valueName: "n"
        )
    )
    var slots: UInt16?

    @Option(help: ArgumentHelp("Number of rounds of each scenario; the scenarios alternate.", valueName: "n"))
    var `repeat`: UInt16 = 1

    @Option(
        help: ArgumentHelp(
            "Seed of random dependencies: equal seeds give equal jobs (default: a random seed, which is printed).",
            valueName: "n"
        )
    )
    var seed: UInt64?

    @Option(help: ArgumentHelp("Number of waiting operations in the cluster during a measurement.", valueName: "n"))
    var waiting: UInt32 = 0

    @Option(help: ArgumentHelp("Number of finished operations in the cluster before a measurement.", valueName: "n"))
    var finished: UInt32 = 0

    @Flag(
        help: "Measure the times at which a watching client receives events, instead of the coordinator's times."
    )
    var watch = false

    @Argument(help: "Scenarios to run.")
    var scenarios: [BenchScenario] = BenchScenario.usual

    @Argument(
        parsing: .postTerminator,
        help: "Command of each operation, after '--' (default: none, the operations do nothing)."
    )
    var command: [String] = []

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        if operations == 0 { throw ValidationError("--operations must be at least 1.") }
        if workers == 0 { throw ValidationError("--workers must be at least 1.") }
        if slots == 0 { throw ValidationError("A worker has at least one slot.") }
        if `repeat` == 0 { throw ValidationError("--repeat must be at least 1.") }
        let largest = Submission.maximumOperations
        if [operations ?? 0, waiting, finished].contains(where: { $0 > largest }) {
            throw ValidationError("A job has at most \(largest) operations.")
        }
        if global.coordinator != nil, workers != nil || slots != nil {
            throw ValidationError("The cluster of --coordinator has its own workers: leave --workers and --slots out.")
        }
    }

    func run() async throws {
        let interruption = Interruption()
        defer { withExtendedLifetime(interruption) {} }
        let task = Task { try await measure(interruption) }
        interruption.onFirst { task.cancel() }
        do {
            try await task.value
        } catch {
            throw interruption.signal.map(QuietExit.init(signal:)) ?? error
        }
    }

    private func measure(_ interruption: Interruption) async throws {
        let seed = seed ?? UInt64.random(in: 1...999_999)
        let workers = workers.map(Int.init) ?? 1
        let settings = BenchSettings(
            operations: operations.map(Int.init),
            kind: command.isEmpty ? .noOperation : .commands([command]),
            workers: workers,
            slots: slots.map(Int.init) ?? LocalWorkers.slotsOfEach(of: workers),
            waiting: Int(waiting),
            finished: Int(finished),
            watches: watch,
            coordinator: global.coordinator
        )
        var figures: [[Figures]] = scenarios.map { _ in [] }
        for round in 0..<`repeat` {
            for (position, scenario) in scenarios.enumerated() {
                if Terminal.isStandardError, !global.quiet, !global.json {
                    Output.note("\(scenario.rawValue), round \(round + 1) of \(`repeat`)")
                }
                figures[position].append(
                    try await BenchRun.round(
                        of: scenario,
                        settings,
                        seed: seed &+ UInt64(round),
                        global: global,
                        interruption: interruption
                    )
                )
            }
        }
        var report = BenchReport(settings: settings, seed: seed, rounds: Int(`repeat`))
        for (scenario, rounds) in zip(scenarios, figures) { report.add(scenario, rounds) }
        if global.json { return try report.printDocument() }
        try report.printTable()
        if !global.quiet { Output.note("To repeat with the same jobs: --seed \(seed)") }
    }
}
