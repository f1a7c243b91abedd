@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton drain`.
struct DrainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drain",
        abstract: "Lets workers finish their operations, and gives them nothing new.",
        discussion: """
            Operations already sent to a worker are recalled first: after the command has ended, none of them starts there. \
            Executing operations continue. The worker stays connected, and stays drained until 'baton undrain', also across \
            restarts of the worker and the coordinator. Completion hooks run on a drained worker only while no other worker \
            takes anything. A worker that is away can be drained too, as long as 'baton workers' lists it.
            """,
        examples: [
            Example("baton drain w1"), Example("baton drain --label zone=a", "All workers of a zone"),
            Example("baton drain w1 w2 --wait", "Return when nothing runs on the workers any more"),
            Example("baton drain w1 --wait --timeout 10m", "Exit with 124 if something still runs after ten minutes"),
        ]
    )

    @Flag(help: "Wait until nothing runs on the workers any more, also across restarts of the coordinator.")
    var wait = false

    @Option(
        help: ArgumentHelp("Maximum time for --wait (default: no limit).", valueName: "duration"),
        transform: { (text: String) in try DurationOption.read(text) }
    )
    var timeout: Duration?

    @OptionGroup var names: WorkerNames
    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        if timeout != nil, !wait { throw ValidationError("--timeout has no effect without --wait.") }
    }

    func run() async throws {
        let deadline = timeout.map { ContinuousClock.now + $0 }
        let connection = try global.connect()
        let workers = try await names.resolved(by: connection)
        let subject = WorkerNames.subject(workers)
        let report = try await connection.change(.drain(workers), timeout: GlobalOptions.answerTimeout)
        let output = ChangeOutput(global)
        guard wait else { return try output.show(report, of: "worker") { "Drained \($0)." } }
        if !global.json { output.tell(report, of: "worker") { "Drained \($0)." } }
        let display = ProgressDisplay(isWanted: !global.quiet && !global.json)
        defer { display.clear() }
        var runs = 0
        let isIdle: Bool
        do throws(ClientError) {
            isIdle = try await connection.waitForWorkers(workers, until: deadline, every: display.interval) {
                runs = $0
                display.show("\(Self.running($0)) on \(subject)")
            }
        } catch {
            if error.code == .timedOut { throw timeUp(runs: runs, on: workers) }
            throw error
        }
        display.clear()
        if global.json { try Output.document(ChangeDocument(report)) }
        guard isIdle else { throw timeUp(runs: runs, on: workers) }
        if !global.json, !global.quiet { Output.note("Nothing runs on \(subject) any more.") }
    }

    private static func running(_ runs: Int) -> String {
        runs == 1 ? "One operation still runs" : "\(runs) operations still run"
    }

    private func timeUp(runs: Int, on workers: [String]) -> CommandFailure {
        CommandFailure(
            ExitStatus.timedOut,
            code: "timeout",
            (runs == 0 ? "Something still runs" : Self.running(runs))
                + " on \(WorkerNames.subject(workers)), which stay\(workers.count == 1 ? "s" : "") drained.",
            advice: "Wait again, or end what runs with \"baton stop --now\"."
        )
    }
}
