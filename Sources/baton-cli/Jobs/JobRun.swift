@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A job, or an operation of an open job, that a process shows up to its end.
struct JobRun {
    let connection: ClientConnection
    let interruption: Interruption
    /// What the connection says of a late answer to the submission.
    var lateAnswer = LateAnswer()
    let global: GlobalOptions
    /// What to print of the output of an array or a graph.
    let output: RunOutput
    /// The running operation that waits for the job, if any.
    let waiter: OperationID?
    /// Whether the job goes on after the process has left; otherwise its cluster is the process's own.
    var outlivesProcess = true
    /// The longest time until new output of a single operation is printed.
    var outputInterval = OutputFollower.interval
    /// Whether the user expects the operation to wait for a slot, so that no notice tells of the wait.
    var expectsToWait = false
    /// What has been written of the output of a single operation before, by another process; nil for nothing.
    var written: WrittenOutput?

    /// Submits a job, shows the progress, and waits for the end.
    ///
    /// - Returns: the exit status.
    func perform(_ submission: Submission, isSingle: Bool) async throws -> Int32 {
        var submission = submission
        let upload = try await SentUpload(of: &submission, over: connection, global, interruption)
        // The reason why the only operation does not start is told while it waits.
        let isTold = !isSingle && outlivesProcess && !global.quiet
        let job = try await send("job") { [connection, submission] in
            try await SentUpload.submitting(with: upload) {
                try await connection.submit(submission, tellingUnplaceable: isTold)
            }
        }
        return try await attendUnlessStuck(isSingle ? .only(job.number) : .job(job.number, operations: job.operations))
    }

    /// Adds an operation to an open job, prints its output, and waits for its end.
    ///
    /// - Parameter submission: a single operation, and nothing about a job.
    /// - Returns: the exit status.
    func perform(_ submission: Submission, in job: JobNumber) async throws -> Int32 {
        let added = try await send("operation") { [connection] in try await connection.add(submission, to: job) }
        return try await attendUnlessStuck(.added(OperationID(job: added.job, index: added.first)))
    }

    /// Shows the progress of what was submitted, and cancels it if the calling operation would wait for ever.
    private func attendUnlessStuck(_ subject: RunSubject) async throws -> Int32 {
        do {
            return try await attend(subject)
        } catch let error as ClientError where error.refusal?.code == .deadlock {
            // The subject could never start while the calling operation waits for it.
            _ = try await connection.change(.cancel([subject.address], queue: nil))
            if !global.quiet, !global.json { Output.note("\(subject.capitalizedText) was cancelled.") }
            var failure = CommandFailure(error)
            failure.advice = Advice.aboutRunInOperation
            throw failure
        }
    }

    /// Shows the progress of a job or an operation, and waits for the end.
    ///
    /// - Parameter start: the part of an operation's output to show.
    /// - Returns: the exit status.
    func attend(_ subject: RunSubject, from start: OutputFollower.Start = .beginning) async throws -> Int32 {
        let cancellation = JobCancellation(of: subject.address, on: connection)
        interruption.onFirst { [global] in
            if !global.quiet, !global.json {
                let sentence = "Cancelling \(subject.text). Interrupt again to leave at once."
                if subject.operation != nil { Output.note(sentence) } else { Output.noteOverProgress(sentence) }
            }
            Task { try await cancellation.perform() }
        }
        let departure = outlivesProcess ? Departure(from: subject, global, interruption) : nil
        let status: Int32
        do {
            status =
                switch subject {
                case .job(let job, let operations): try await watch(job, operations, cancellation)
                case .only(let job):
                    try await follow(OperationID(job: job, index: 0), cancellation, from: start)
                case .added(let operation): try await follow(operation, cancellation, from: start)
                }
        } catch let exit as QuietExit {
            // The reader of the output has gone away.
            if let departure {
                if await !isFinished(subject) { departure.tell() }
                throw exit
            }
            try await cancellation.perform()
            while try await !cancellation.progress(of: [subject.address], by: nil, atMost: .seconds(1)).isOver {}
            throw exit
        } catch let failure as CommandFailure {
            // The output cannot be written.
            if let departure, await !isFinished(subject) { departure.tell() }
            throw failure
        }
        if let signal = interruption.signal { throw QuietExit(signal: signal) }
        return status
    }

    /// Whether a job or an operation is known to be finished now.
    private func isFinished(_ subject: RunSubject) async -> Bool {
        let progress = try? await connection.progress(
            of: [subject.address],
            atMost: .zero,
            timeout: GlobalOptions.answerTimeout
        )
        return progress?.isFinished ?? false
    }

    /// Sends a submission; a signal ends the wait for a late answer.
    ///
    /// - Parameters:
    ///   - subject: what the coordinator is to accept, in a word.
    ///   - request: sends it.
    private func send<Answer: Sendable>(
        _ subject: String,
        _ request: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        let submitting = Task { try await request() }
        lateAnswer.onGivingUp { submitting.cancel() }
        interruption.onFirst { [lateAnswer, global] in
            if !global.quiet, !global.json {
                Output.note(
                    "The \(subject) is cancelled once the coordinator has accepted it. Interrupt again to leave at once."
                )
            }
            lateAnswer.noteInterruption()
        }
        do {
            return try await submitting.value
        } catch let error as ClientError where error.code == .cancelled {
            let signal = interruption.signal ?? SIGTERM
            var failure = CommandFailure(
                ExitStatus.signal(signal),
                code: "unanswered",
                "The coordinator at \(connection.endpoint) has not answered: the submission may or may not be accepted later.",
                advice: Advice.about(ClientError.submissionUnanswered(connection.endpoint))
            )
            failure.signal = signal
            throw failure
        }
    }

    /// Prints the output of an operation on arrival.
    private func follow(
        _ operation: OperationID,
        _ cancellation: JobCancellation,
        from start: OutputFollower.Start
    ) async throws -> Int32 {
        let missing = MissingOutput(global, countsLosses: false)
        let sink = OutputSink(
            operation: operation,
            form: global.json ? .documents : .bytes(standardErrorApart: true),
            missing: missing,
            written: written
        )
        var follower = OutputFollower(
            of: operation,
            [.standardOutput, .standardError],
            on: connection,
            into: sink,
            by: waiter,
            every: outputInterval
        )
        if start == .now { try await follower.skipWhatIsThere() }
        let notice = notice(about: .operation(operation))
        let end: OperationDocument
        if global.json {
            end = try await follower.followToEnd(or: cancellation, notice: notice)
            try Output.document(end)
        } else if let document = try await follower.followToOutcome(or: cancellation, notice: notice) {
            end = document
        } else {
            return missing.isAny ? ExitStatus.incomplete : ExitStatus.success
        }
        let (status, sentence) = Self.status(of: end)
        // A failure that the output does not explain would be a status alone, from which nobody tells a wrong path from a full disk.
        if let sentence, interruption.signal == nil, !global.quiet || status != ExitStatus.success {
            Output.note("Operation \(end.operation): \(sentence)")
        }
        return status == ExitStatus.success && missing.isAny ? ExitStatus.incomplete : status
    }

    /// The exit status for the end of an operation, and a sentence if the operation's own output does not explain the end.
    static func status(of end: OperationDocument) -> (status: Int32, sentence: String?) {
        switch end.outcome {
        case .succeeded:
            return (ExitStatus.success, nil)
        case .failed:
            var sentence = end.reason == .exit || end.reason == .signal ? nil : end.message
            if let reason = end.reason, let message = end.message,
                let advice = Advice.about(reason, on: end.worker), end.worker != nil || reason == .input
            {
                sentence = "\(message) \(advice)"
            }
            if end.reason == .timeout || end.reason == .deadline { return (ExitStatus.timedOut, sentence) }
            // What exceeds its memory is killed.
            if end.reason == .memory { return (ExitStatus.signal(9), sentence) }
            if let signal = end.signal { return (ExitStatus.signal(signal), sentence) }
            if let status = end.exitStatus, status != 0 { return (status, sentence) }
            return (ExitStatus.notRun, sentence ?? end.message)
        case .cancelled:
            return (ExitStatus.cancelled, end.message ?? "It was cancelled.")
        case .skipped where end.reason == .notNeeded:
            return (ExitStatus.success, "It was not needed. \(end.message ?? "")")
        case .skipped, nil:
            return (ExitStatus.notRun, end.message ?? end.outcome.map { "It was \($0)." })
        }
    }

    /// Shows the progress of a graph or an array, and at the end the operations without success.
    private func watch(_ job: JobNumber, _ operations: UInt32, _ cancellation: JobCancellation) async throws -> Int32 {
        let display = ProgressDisplay(isWanted: !global.quiet && !global.json)
        defer { display.clear() }
        let notice = notice(about: .job(job))
        let missing = MissingOutput(global, countsLosses: false)
        var follower = outputFollower(of: job, operations, missing, beside: display)
        try await follower?.begin()
        // The short interval keeps the wait after a cancellation short.
        let interval = output == .prefixed ? OutputFollower.interval : min(display.interval, .seconds(1))
        var end: WaitProgress
        var isOver: Bool
        repeat {
            (end, isOver) = try await cancellation.progress(
                of: [.job(job)],
                by: waiter,
                atMost: notice.isUndecided ? min(interval, .milliseconds(100)) : interval,
                partial: display.isShown
            )
            try await follower?.advance()
            if !isOver { await notice.look(at: end, willTell: display.clear) }
            display.show(end)
        } while !isOver
        try await follower?.finish()
        display.show(end)
        display.finish()
        if display.isShown, let times = await JobTimes(of: [job], on: connection) { Output.note(times.line) }
        if global.json {
            try await JobPages(of: job, on: connection).print()
        } else if !end.counts.isAllSuccess {
            Output.note(end.counts.summary)
            try await FailureReport(of: job, on: connection, isLasting: outlivesProcess).write()
        }
        guard end.counts.isAllSuccess else { return ExitStatus.operationFailed }
        return missing.isAny ? ExitStatus.incomplete : ExitStatus.success
    }

    /// Tells why nothing of a job runs.
    private func notice(about address: Address) -> StandstillNotice {
        StandstillNotice(
            of: [address],
            on: connection,
            isWanted: !global.quiet,
            // The workers of a cluster of the process's own join while the job is submitted.
            expectsWorkers: !outlivesProcess,
            expectsToWait: expectsToWait
        )
    }

    /// Prints the wanted output of a job; nil for none.
    private func outputFollower(
        of job: JobNumber,
        _ operations: UInt32,
        _ missing: MissingOutput,
        beside display: ProgressDisplay
    ) -> JobOutputFollower? {
        guard output != .none else { return nil }
        let target = OutputTarget(wholeJob: job, count: Int(operations))
        let lines = LineOutput(
            marks: LineOutput.Marks(operation: target.single == nil, attempt: true),
            isJSON: global.json,
            isStandardErrorApart: true,
            names: OperationNames(on: connection),
            willWrite: display.clear
        )
        return JobOutputFollower(
            of: target,
            output == .failed ? .failures(lastAttempt: true) : .lines,
            selection: OutputSelection(job: job, operations: target.operations),
            printer: OutputPrinter(lines: lines, mostLines: nil, missing: missing, on: connection),
            missing: missing,
            on: connection
        )
    }
}
