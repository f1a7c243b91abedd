@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton wait`.
struct WaitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait",
        abstract: "Waits until jobs, operations or the operations of a queue are finished.",
        discussion: """
            Exits with 0 if all operations succeeded or were not needed, 1 if any failed, was cancelled or was skipped because \
            of such an operation, and 124 after --timeout; for a queue, only operations that finish during the wait count. An \
            operation with --on-failure dependencies is not needed if none of them fails. wait continues during a restart of \
            the coordinator. Within an operation, a wait that could never end is refused: its target needs the slot of the \
            waiting operation, or waits for it. For a job with failures, wait ends with a short form of "baton failures".
            """,
        examples: [
            Example("baton wait 12", "Wait for a job"),
            Example("baton wait 12/sepia 13 --timeout 10m", "Wait for an operation and a job, ten minutes at most"),
            Example("baton wait --queue images", "Wait until a queue is empty"),
        ]
    )

    @Option(
        help: ArgumentHelp(
            "Also wait for the operations of this queue, including those added during the wait.",
            valueName: "queue"
        ),
        completion: CompletionSubject.queues.kind,
        transform: { (text: String) in try NameArgument.read(text) }
    )
    var queue: String?

    @Option(
        help: ArgumentHelp(
            "Maximum time to wait; 0s checks once (default: no limit).",
            valueName: "duration"
        ),
        transform: { (text: String) in try DurationOption.read(text) }
    )
    var timeout: Duration?

    @Argument(help: "Jobs (12, last, nightly) and operations (12/3, 12/sepia, 12/[3-9,20], 12/test-*).")
    var addresses: [AddressPattern] = []

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        if addresses.isEmpty, queue == nil {
            throw ValidationError("Give the target of the wait: an address, or --queue.")
        }
    }

    func run() async throws {
        let deadline = timeout.map { ContinuousClock.now + $0 }
        let connection = try global.connect()
        let targets = try await AddressResolver(on: connection).addresses(of: addresses)
        guard targets.count <= AddressResolver.addressesOfRequest else {
            throw CommandFailure(
                ExitStatus.refusedInput,
                code: "tooLarge",
                "The targets are \(targets.count) separate parts of jobs, and a wait takes \(AddressResolver.addressesOfRequest).",
                advice: "Wait for the whole jobs."
            )
        }
        let display = ProgressDisplay(isWanted: !global.quiet && !global.json)
        defer { display.clear() }
        let last: WaitProgress
        do throws(ClientError) {
            last = try await connection.wait(
                for: targets,
                queue: queue,
                by: global.waiter,
                until: deadline,
                every: display.interval
            ) { display.show($0.counts) }
        } catch {
            if error.code == .timedOut { throw timeUp }
            throw error
        }
        display.finish()
        if global.json { try Output.document(WaitDocument(finished: last.isFinished, counts: last.counts)) }
        guard last.isFinished else { throw timeUp }
        guard last.counts.isAllSuccess else {
            if !global.quiet, !global.json {
                Output.note(last.counts.summary)
                for case .job(let job) in targets { try await FailureReport(of: job, on: connection).write() }
            }
            throw QuietExit(status: ExitStatus.operationFailed)
        }
    }

    private var timeUp: CommandFailure {
        let fact =
            timeout == .zero
            ? "The target is not finished." : "The target was not finished within \(timeout?.text ?? "the time")."
        return CommandFailure(
            ExitStatus.timedOut,
            code: "timeout",
            "\(fact) Its operations continue.",
            advice: "Wait again, or see \"baton status\"."
        )
    }
}
