@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A submission followed to its end by the submitting process.
struct JobRun {
    let connection: ClientConnection
    let interruption: Interruption
    /// What the connection says of a late answer to the submission.
    let lateAnswer: LateAnswer
    let global: GlobalOptions
    /// The running operation that waits for the job, if any.
    let waiter: OperationID?

    /// Submits a job, shows the progress, and waits for the end.
    ///
    /// - Returns: the exit status.
    func perform(_ submission: Submission, isSingle: Bool) async throws -> Int32 {
        let job = try await submit(submission)
        let cancellation = JobCancellation(of: job.number, on: connection)
        interruption.onFirst { [global] in
            if !global.quiet, !global.json {
                Output.note("Cancelling job \(job.number). Interrupt again to leave at once.")
            }
            Task { try await cancellation.perform() }
        }
        let status: Int32
        do {
            status = try await isSingle ? follow(job.number, cancellation) : watch(job.number, cancellation)
        } catch let exit as QuietExit {
            // The reader of the output has gone away, so no user waits for the job either: cancel the job.
            try await cancellation.perform()
            while try await !cancellation.progress(of: [.job(job.number)], by: nil, atMost: .seconds(1)).isOver {}
            throw exit
        } catch let error as ClientError {
            // The job could never start while the calling operation waits for the job, so cancel the job.
            if error.refusal?.code == .deadlock {
                _ = try await connection.change(.cancel([.job(job.number)], queue: nil))
                if !global.quiet, !global.json { Output.note("Job \(job.number) was cancelled.") }
            }
            throw error
        }
        return interruption.signal.map(ExitStatus.signal) ?? status
    }

    /// Submits a job; a signal ends the wait for a late answer.
    private func submit(_ submission: Submission) async throws -> SubmittedJob {
        let submitting = Task { [connection] in try await connection.submit(submission) }
        lateAnswer.onGivingUp { submitting.cancel() }
        interruption.onFirst { [lateAnswer] in lateAnswer.noteInterruption() }
        do {
            return try await submitting.value
        } catch let error as ClientError where error.code == .cancelled {
            throw CommandFailure(
                ExitStatus.signal(interruption.signal ?? SIGTERM),
                code: "unanswered",
                "The coordinator at \(connection.endpoint) has not answered: the submission may or may not be accepted later.",
                advice: Advice.about(ClientError.submissionUnanswered(connection.endpoint))
            )
        }
    }

    /// Prints the output of a job's only operation on arrival.
    private func follow(_ job: JobNumber, _ cancellation: JobCancellation) async throws -> Int32 {
        let operation = Address.operation(OperationID(job: job, index: 0))
        let sink = OutputSink(
            operation: operation,
            form: global.json ? .documents : .bytes(standardErrorApart: true),
            notesGaps: !global.quiet
        )
        var follower = OutputFollower(
            of: operation,
            [.standardOutput, .standardError],
            on: connection,
            into: sink,
            by: waiter
        )
        let end = try await follower.followToEnd(or: cancellation)
        if global.json { try Output.document(end) }
        let (status, sentence) = Self.status(of: end)
        if let sentence, interruption.signal == nil, !global.quiet {
            Output.note("Operation \(end.operation): \(sentence)")
        }
        return status
    }

    /// The exit status for the end of an operation, and a sentence if the operation's own output does not explain the end.
    static func status(of end: OperationDocument) -> (status: Int32, sentence: String?) {
        switch end.outcome {
        case .succeeded:
            return (ExitStatus.success, nil)
        case .failed:
            let sentence = end.reason == .exit || end.reason == .signal ? nil : end.message
            if end.reason == .timeout { return (ExitStatus.timedOut, sentence) }
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
    private func watch(_ job: JobNumber, _ cancellation: JobCancellation) async throws -> Int32 {
        let display = ProgressDisplay(isWanted: !global.quiet && !global.json)
        defer { display.clear() }
        // The short interval keeps the wait after a cancellation short.
        let interval = min(display.interval, .seconds(1))
        var end: WaitProgress
        var isOver: Bool
        repeat {
            (end, isOver) = try await cancellation.progress(of: [.job(job)], by: waiter, atMost: interval)
            display.show(end.counts)
        } while !isOver
        display.finish()
        if global.json {
            try await JobPages(of: job, on: connection).print()
        } else if !end.counts.isAllSuccess {
            Output.note(end.counts.summary)
            try await FailureReport(of: job, on: connection).write()
        }
        return end.counts.isAllSuccess ? ExitStatus.success : ExitStatus.operationFailed
    }
}
