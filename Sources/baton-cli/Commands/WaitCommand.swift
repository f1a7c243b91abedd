import BatonArguments
import BatonClient
import BatonDocuments
import BatonOperations
import BatonWire

/// The command `baton wait`.
struct WaitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait",
        abstract: "Waits until jobs, operations or the operations of a queue are finished.",
        discussion: """
            It ends with 0 if all of them succeeded or were not needed, 1 if one failed, was cancelled, or was skipped because of \
            one that did, and 124 if the time ran out; of a queue that counts which ends while it waits. An operation that runs \
            on a failure (--on-failure) is not needed where nothing fails. \
            It goes on waiting while the coordinator is restarted. A running operation that would wait for ever, because what \
            it waits for needs its slot or waits for it, is refused.
            """,
        examples: [
            Example("baton wait 12", "Wait for a job"),
            Example("baton wait 12/sepia 13 --timeout 10m", "Wait for an operation and a job, ten minutes at most"),
            Example("baton wait --queue images", "Wait until a queue is empty"),
        ]
    )

    @Option(
        help: ArgumentHelp("Wait for what is in this queue too, and what comes meanwhile.", valueName: "queue"),
        transform: { (text: String) in try NameArgument.read(text) }
    )
    var queue: String?

    @Option(
        help: ArgumentHelp(
            "How long to wait at most; with 0s it only asks. For ever unless given.",
            valueName: "duration"
        ),
        transform: { (text: String) in try DurationOption.read(text) }
    )
    var timeout: Duration?

    @Argument(help: "Jobs (12) and operations (12/3 or 12/sepia).")
    var addresses: [Address] = []

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        if addresses.isEmpty, queue == nil { throw ValidationError("Say what to wait for: an address, or --queue.") }
    }

    func run() async throws {
        let deadline = timeout.map { ContinuousClock.now + $0 }
        let connection = try global.connect()
        let display = ProgressDisplay(isWanted: !global.quiet && !global.json)
        defer { display.clear() }
        let last: WaitProgress
        do throws(ClientError) {
            last = try await connection.wait(
                for: addresses,
                queue: queue,
                by: global.waiter,
                until: deadline,
                every: display.interval
            ) { display.show($0.counts) }
        } catch {
            if case .timedOut = error { throw timeUp }
            throw error
        }
        display.finish()
        if global.json { try Output.document(WaitDocument(finished: last.isFinished, counts: last.counts)) }
        guard last.isFinished else { throw timeUp }
        guard last.counts.isAllSuccess else {
            if !global.quiet, !global.json { Output.note(last.counts.summary) }
            throw QuietExit(status: ExitStatus.operationFailed)
        }
    }

    private var timeUp: CommandFailure {
        let fact =
            timeout == .zero ? "It is not finished." : "It was not finished within \(timeout?.text ?? "the time")."
        return CommandFailure(
            ExitStatus.timedOut,
            code: "timeout",
            "\(fact) It goes on; wait again, or see \"baton status\"."
        )
    }
}
