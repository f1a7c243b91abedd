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
            waiting operation, or waits for it. If nothing of what wait waits for can run, because no worker is there, the queue \
            is suspended or the cluster is full, wait says why, once for each reason. For a job with failures, wait ends with a \
            short form of "baton failures".

            On a terminal wait shows the progress, with the rate and the time that the rest will take, and ends with the elapsed \
            time, the run times of all attempts together, and the slowest operations of whole jobs.
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
        let notice = StandstillNotice(
            of: targets,
            queue: queue,
            on: connection,
            isWanted: !global.quiet && timeout != .zero,
            until: deadline
        )
        let last: WaitProgress
        do throws(ClientError) {
            last = try await connection.wait(
                for: targets,
                queue: queue,
                by: global.waiter,
                until: deadline,
                every: notice.isUndecided ? min(display.interval, StandstillNotice.pause / 5) : display.interval,
                partial: display.isShown
            ) { progress in
                await notice.look(at: progress, willTell: display.clear)
                display.show(progress)
            }
        } catch {
            if error.code == .timedOut { throw timeUp }
            throw error
        }
        display.finish()
        let wantsTimes = last.isFinished && (global.json || display.isShown)
        let times = wantsTimes ? await times(of: targets, on: connection) : nil
        if global.json {
            var document = WaitDocument(finished: last.isFinished, counts: last.counts)
            document.elapsedSeconds = times?.elapsedSeconds
            document.busySeconds = times?.busySeconds
            document.slowest = times?.slowest
            try Output.document(document)
        } else if let times {
            Output.note(times.line)
        }
        guard last.isFinished else { throw timeUp }
        guard last.counts.isAllSuccess else {
            if !global.quiet, !global.json {
                Output.note(last.counts.summary)
                for case .job(let job) in targets { try await FailureReport(of: job, on: connection).write() }
            }
            throw QuietExit(status: ExitStatus.operationFailed)
        }
    }

    /// What the targets took, if all of them are whole jobs.
    private func times(of targets: [Address], on connection: ClientConnection) async -> JobTimes? {
        var jobs: [JobNumber] = []
        for target in targets {
            guard case .job(let job) = target else { return nil }
            if !jobs.contains(job) { jobs.append(job) }
        }
        return queue == nil ? await JobTimes(of: jobs, on: connection) : nil
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
