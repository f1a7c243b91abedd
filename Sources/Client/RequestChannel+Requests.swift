@_spi(Baton) public import BatonOperations
@_spi(Baton) public import BatonWire

/// One method for each kind of request, with the reply that belongs to the request.
@_spi(Baton) extension RequestChannel {
    /// Submits a job and returns once the submission is on disk.
    ///
    /// - Throws: ``ClientError``; `submissionUnanswered` if the coordinator may or may not have accepted the submission.
    public func submit(_ submission: Submission, timeout: Duration? = nil) async throws(ClientError) -> SubmittedJob {
        guard
            case .job(let number, let operations, let isNew) = try await request(.submit(submission), timeout: timeout)
        else { throw .wrongKind }
        return SubmittedJob(number: number, operations: operations, isNew: isNew)
    }

    /// Adds operations to an open job, and returns once they are on disk; without a key, the addition gets one of its own.
    ///
    /// - Throws: ``ClientError``; `submissionUnanswered` if the coordinator may or may not have added the operations.
    public func add(
        _ submission: Submission,
        to job: JobNumber,
        timeout: Duration? = nil
    ) async throws(ClientError) -> AddedOperations {
        var submission = submission
        submission.takeOwnKey()
        guard
            case .added(let number, let first, let operations, let isNew) = try await request(
                .add(submission, to: job),
                timeout: timeout
            )
        else { throw .wrongKind }
        return AddedOperations(job: number, first: first, operations: operations, isNew: isNew)
    }

    /// Requests a JSON document, in UTF-8.
    public func document(_ which: DocumentRequest, timeout: Duration? = nil) async throws(ClientError) -> [UInt8] {
        guard case .document(let bytes) = try await request(.document(which), timeout: timeout) else {
            throw .wrongKind
        }
        return bytes
    }

    /// Requests a change of operations or of a queue: cancel, hold, release, set a priority, edit dependencies, set a queue.
    ///
    /// - Parameter request: a request whose reply is ``Reply/changed(_:)``.
    public func change(_ request: Request, timeout: Duration? = nil) async throws(ClientError) -> ChangeReport {
        guard case .changed(let report) = try await self.request(request, timeout: timeout) else { throw .wrongKind }
        return report
    }

    /// Submits the failed operations of a job again, together with their dependents.
    ///
    /// - Parameters:
    ///   - job: the job, all of whose operations have to be finished.
    ///   - operations: the operations to retry.
    ///   - groups: the numbers of groups of failures whose operations to retry too; without operations and groups, all
    ///     operations of the job.
    ///   - cancelled: whether to retry cancelled operations too.
    ///   - dependents: whether to submit the dependents again too.
    ///   - again: whether to retry a job that has been retried already. A coordinator of Baton 0.1.0 retries it in any case.
    ///   - rejectsUnplaceable: whether operations that no worker present can ever take are refused. A coordinator of Baton 0.1.0
    ///     accepts them in any case.
    ///   - key: a key that no other submission has, so that a repeated request creates only one job.
    ///   - changes: other commands and settings of the operations; a coordinator of Baton 0.1.0 cannot read a request with any.
    public func retry(
        _ job: JobNumber,
        operations: [Address] = [],
        groups: [UInt32] = [],
        cancelled: Bool = false,
        dependents: Bool = true,
        again: Bool = false,
        rejectsUnplaceable: Bool = false,
        key: String,
        changes: RetryChanges = RetryChanges(),
        timeout: Duration? = nil
    ) async throws(ClientError) -> SubmittedJob {
        func retry(again: Bool, rejectsUnplaceable: Bool) async throws(ClientError) -> Reply {
            try await request(
                .retry(
                    job,
                    operations: operations,
                    groups: groups,
                    cancelled: cancelled,
                    dependents: dependents,
                    again: again,
                    rejectsUnplaceable: rejectsUnplaceable,
                    key: key,
                    changes: changes
                ),
                timeout: timeout
            )
        }
        let reply: Reply
        do throws(ClientError) {
            reply = try await retry(again: again, rejectsUnplaceable: rejectsUnplaceable)
        } catch {
            guard !again || rejectsUnplaceable, changes.isEmpty, error.refusal?.isOfUnreadRequest == true else {
                throw error
            }
            reply = try await retry(again: true, rejectsUnplaceable: false)
        }
        guard case .job(let number, let operations, let isNew) = reply else { throw .wrongKind }
        return SubmittedJob(number: number, operations: operations, isNew: isNew)
    }

    /// Submits now what a schedule submits, once, however often the request is repeated.
    public func startSchedule(_ name: String, timeout: Duration? = nil) async throws(ClientError) -> SubmittedJob {
        let reply = try await request(.startSchedule(name, key: Submission.makeOwnKey()), timeout: timeout)
        guard case .job(let number, let operations, let isNew) = reply else { throw .wrongKind }
        return SubmittedJob(number: number, operations: operations, isNew: isNew)
    }

    /// Requests the events after an event number; the reply comes with the first new event or at the end of the time.
    ///
    /// - Parameters:
    ///   - number: the last event that the caller knows; nil for the newest event. With nil, pass a time of zero and continue
    ///     from the page's ``EventPage/last``. A longer wait may be repeated on a new connection, and the repeated wait would
    ///     miss the events in between.
    ///   - limit: about how many events a page may have.
    ///   - time: how long to wait for the first event.
    ///   - selection: the events that the caller wants; nil for all.
    public func events(
        since number: UInt64?,
        limit: UInt32 = 1000,
        atMost time: Duration,
        of selection: EventSelection? = nil,
        timeout: Duration? = nil
    ) async throws(ClientError) -> EventPage {
        guard
            case .events(let page) = try await request(
                .watch(since: number, limit: limit, atMost: time, of: selection),
                timeout: timeout
            )
        else { throw .wrongKind }
        return page
    }

    /// Reads a piece of an attempt's output; without an attempt number, the last attempt's output.
    public func log(
        _ operation: Address,
        attempt: UInt32? = nil,
        _ stream: OutputStream,
        from offset: UInt64,
        limit: UInt32 = UInt32(OutputChunk.maximumLength),
        timeout: Duration? = nil
    ) async throws(ClientError) -> OutputChunk {
        let reply = try await request(
            .log(operation, attempt: attempt, stream, offset: offset, limit: limit),
            timeout: timeout
        )
        guard case .output(let chunk) = reply else { throw .wrongKind }
        return chunk
    }

    /// Reads a page of the outputs of a job.
    public func outputs(_ selection: OutputSelection, timeout: Duration? = nil) async throws(ClientError) -> OutputPage
    {
        guard case .outputs(let page) = try await request(.outputs(selection), timeout: timeout) else {
            throw .wrongKind
        }
        return page
    }

    /// Reads a page of what happened in a job.
    public func history(
        _ selection: HistorySelection,
        timeout: Duration? = nil
    ) async throws(ClientError) -> HistoryPage {
        guard case .history(let page) = try await request(.history(selection), timeout: timeout) else {
            throw .wrongKind
        }
        return page
    }

    /// Reads an operation's result; nil if the operation left no result.
    public func result(of operation: Address, timeout: Duration? = nil) async throws(ClientError) -> [UInt8]? {
        guard case .result(let bytes) = try await request(.result(operation), timeout: timeout) else {
            throw .wrongKind
        }
        return bytes
    }

    /// Reads a piece of a file that an operation left; ``FileDownload`` reads all of one.
    public func filePiece(
        of operation: Address,
        path: String,
        offset: UInt64,
        limit: UInt32 = UInt32(FilePiece.maximumLength),
        timeout: Duration? = nil
    ) async throws(ClientError) -> FilePiece {
        let reply = try await request(
            .filePiece(operation, path: path, offset: offset, limit: limit),
            timeout: timeout
        )
        guard case .filePiece(let piece) = reply else { throw .wrongKind }
        return piece
    }

    /// Requests the progress of operations; the reply comes once all operations are finished or at the end of the time.
    ///
    /// - Parameters:
    ///   - began: when a wait for the queue began, taken from the first reply's ``WaitProgress/began``; nil for now.
    ///   - outputs: whether to ask for the output of a single operation, which a coordinator of Baton 0.1.0 does not give.
    public func progress(
        of addresses: [Address],
        queue: String? = nil,
        by waiter: OperationID? = nil,
        since began: RecordMoment? = nil,
        atMost time: Duration,
        partial: Bool = false,
        outputs: Bool = false,
        timeout: Duration? = nil
    ) async throws(ClientError) -> WaitProgress {
        func ask(outputs: Bool) async throws(ClientError) -> Reply {
            try await request(
                .wait(
                    addresses,
                    queue: queue,
                    atMost: time,
                    waiter: waiter,
                    since: began,
                    partial: partial,
                    outputs: outputs
                ),
                timeout: timeout
            )
        }
        let reply: Reply
        do throws(ClientError) {
            reply = try await ask(outputs: outputs)
        } catch {
            guard outputs, error.refusal?.isOfUnreadRequest == true else { throw error }
            reply = try await ask(outputs: false)
        }
        guard case .progress(let progress) = reply else { throw .wrongKind }
        return progress
    }

    /// Waits until operations, jobs or a queue are finished, across restarts of the coordinator and lost connections (WA8).
    ///
    /// - Parameters:
    ///   - addresses: the jobs and operations to wait for; the coordinator refuses unknown addresses.
    ///   - queue: a queue to wait for.
    ///   - waiter: the running operation that waits, if any; the coordinator refuses a wait of a running operation that could
    ///     never end (WA3).
    ///   - deadline: when to give up; nil for never.
    ///   - interval: how often `report` is called; evaluated before each request.
    ///   - partial: whether to ask for the progress that executing operations report.
    ///   - report: called with each progress report, the last included.
    /// - Returns: the last progress report; the report is unfinished only if the deadline came first.
    /// - Throws: ``ClientError``; `timedOut` if the deadline came while the coordinator was away.
    public func wait(
        for addresses: [Address],
        queue: String? = nil,
        by waiter: OperationID? = nil,
        until deadline: ContinuousClock.Instant? = nil,
        every interval: @autoclosure () -> Duration,
        partial: Bool = false,
        report: (WaitProgress) async -> Void = { _ in }
    ) async throws(ClientError) -> WaitProgress {
        var began: RecordMoment?
        while true {
            let interval = interval()
            let rest = deadline.map { max(.zero, $0 - .now) }
            let progress = try await progress(
                of: addresses,
                queue: queue,
                by: waiter,
                since: began,
                atMost: min(interval, rest ?? interval),
                partial: partial,
                timeout: rest.map { $0 + .seconds(1) }
            )
            began = progress.began
            await report(progress)
            if progress.isFinished { return progress }
            if let deadline, deadline <= .now { return progress }
        }
    }

    /// Waits until nothing runs on drained workers, across restarts of the coordinator and lost connections.
    ///
    /// - Parameters:
    ///   - workers: the workers' names; the coordinator refuses workers that are not drained.
    ///   - deadline: when to give up; nil for never.
    ///   - interval: how often `report` is called.
    ///   - report: called with the number of operations that still run.
    /// - Returns: whether nothing runs; false only if the deadline came first.
    /// - Throws: ``ClientError``; `timedOut` if the deadline came while the coordinator was away.
    public func waitForWorkers(
        _ workers: [String],
        until deadline: ContinuousClock.Instant? = nil,
        every interval: Duration,
        report: (Int) async -> Void = { _ in }
    ) async throws(ClientError) -> Bool {
        while true {
            let rest = deadline.map { max(.zero, $0 - .now) }
            let reply = try await request(
                .waitForWorkers(workers, atMost: min(interval, rest ?? interval)),
                timeout: rest.map { $0 + .seconds(1) }
            )
            guard case .progress(let progress) = reply else { throw .wrongKind }
            if progress.isFinished { return true }
            await report(progress.counts.executing)
            if let deadline, deadline <= .now { return false }
        }
    }
}

extension ClientError {
    static let wrongKind = ClientError.malformedReply("it is of another kind than the request.")
}
