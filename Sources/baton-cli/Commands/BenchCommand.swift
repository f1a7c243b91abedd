import BatonArguments
import BatonBenchmarks
import BatonOperations

/// The command `baton bench`.
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measures how fast operations run, and what they cost.",
        discussion: """
            It brings a coordinator and workers of its own for each round, as processes with a record on disk as always; with \
            --coordinator it loads a running cluster instead, of which it does not know what its processes use. Operations do \
            nothing, or run the command after '--'.

            Scenarios: array (alike operations that depend on nothing), graph (each depends on two random ones before it), \
            chain (each depends on the one before), fan (all depend on the first, the last on all), layers (random ones), \
            submit-array and submit-graph (the submission alone, of a graph as a file, with no worker there), queries \
            (status, show and list among many operations), single (one operation on an idle cluster, by a connected client and \
            as baton run), dispatch (a chain while many operations are being submitted), idle (nothing happens). Unless named: \
            those that take less than a million operations.

            With --json the key 'scenarios' has for each its 'figures', and each of them a median, the least and the most of \
            the rounds.
            """,
        examples: [
            Example("baton bench", "All that takes seconds"),
            Example("baton bench array --slots 2 --repeat 5 -- /bin/true", "How many processes a second"),
            Example("baton bench array --waiting 1000000", "What a million waiting operations change"),
            Example("baton bench submit-graph dispatch --json", "For a script"),
        ]
    )

    @Option(help: ArgumentHelp("How many operations; what is usual of the scenario unless given.", valueName: "n"))
    var operations: UInt32?

    @Option(help: ArgumentHelp("How many workers its own cluster has.", valueName: "n"))
    var workers: UInt16?

    @Option(
        help: ArgumentHelp(
            "How many operations each worker runs at once; together one for each processor unless given.",
            valueName: "n"
        )
    )
    var slots: UInt16?

    @Option(help: ArgumentHelp("How many rounds of each scenario, taken in turns.", valueName: "n"))
    var `repeat`: UInt16 = 1

    @Option(
        help: ArgumentHelp(
            "Where random dependencies come from: the same one gives the same jobs; printed, and random unless given.",
            valueName: "n"
        )
    )
    var seed: UInt64?

    @Option(help: ArgumentHelp("How many operations of a graph wait while a job is measured.", valueName: "n"))
    var waiting: UInt32 = 0

    @Option(help: ArgumentHelp("How many operations have been finished before a job is measured.", valueName: "n"))
    var finished: UInt32 = 0

    @Flag(
        help: "Watch meanwhile, and take the times at which a client sees what happens, not those of the coordinator."
    )
    var watch = false

    @Argument(help: "The scenarios.")
    var scenarios: [BenchScenario] = BenchScenario.usual

    @Argument(parsing: .postTerminator, help: "What each operation runs, after '--'; nothing unless given.")
    var command: [String] = []

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        if operations == 0 { throw ValidationError("Take at least one operation.") }
        if workers == 0 { throw ValidationError("Take at least one worker.") }
        if slots == 0 { throw ValidationError("A worker has at least one slot.") }
        if `repeat` == 0 { throw ValidationError("Measure at least one round.") }
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
            throw interruption.signal.map { QuietExit(status: ExitStatus.signal($0)) } ?? error
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
        if !global.quiet { Output.note("Again with the same jobs: --seed \(seed)") }
    }
}
