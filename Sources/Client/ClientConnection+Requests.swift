public import BatonOperations
public import BatonWire

/// The requests, each with the kind of answer that it has.
extension ClientConnection {
    /// What became of a submission.
    public struct SubmittedJob: Hashable, Sendable {
        /// The job.
        public var number: JobNumber
        /// How many operations it has.
        public var operations: UInt32
        /// Whether it is new; false where its key was known already.
        public var isNew: Bool
    }

    /// Submits; the answer comes once the submission is on disk.
    ///
    /// - Throws: ``ClientError``, `submissionUnanswered` where it may or may not have been taken.
    public func submit(_ submission: Submission, timeout: Duration? = nil) async throws(ClientError) -> SubmittedJob {
        guard
            case .job(let number, let operations, let isNew) = try await request(.submit(submission), timeout: timeout)
        else { throw .wrongKind }
        return SubmittedJob(number: number, operations: operations, isNew: isNew)
    }

    /// Asks for a JSON document, in UTF-8.
    public func document(_ which: DocumentRequest, timeout: Duration? = nil) async throws(ClientError) -> [UInt8] {
        guard case .document(let bytes) = try await request(.document(which), timeout: timeout) else {
            throw .wrongKind
        }
        return bytes
    }

    /// Asks for a change of operations or of a queue: what to cancel, hold, release, put at another level, make depend on
    /// others, or set.
    ///
    /// - Parameter request: one whose answer is ``Reply/changed(_:)``.
    public func change(_ request: Request, timeout: Duration? = nil) async throws(ClientError) -> ChangeReport {
        guard case .changed(let report) = try await self.request(request, timeout: timeout) else { throw .wrongKind }
        return report
    }

    /// Submits again what failed in a job, and what depends on that.
    ///
    /// - Parameters:
    ///   - job: the job, which has to be finished.
    ///   - operations: those of its operations that are meant; empty for all.
    ///   - cancelled: whether what was cancelled is meant too.
    ///   - dependents: whether what depends on them is submitted again too.
    ///   - key: a key that no other submission has, so that asking twice makes one job.
    public func retry(
        _ job: JobNumber,
        operations: [Address] = [],
        cancelled: Bool = false,
        dependents: Bool = true,
        key: String,
        timeout: Duration? = nil
    ) async throws(ClientError) -> SubmittedJob {
        guard
            case .job(let number, let operations, let isNew) = try await request(
                .retry(job, operations: operations, cancelled: cancelled, dependents: dependents, key: key),
                timeout: timeout
            )
        else { throw .wrongKind }
        return SubmittedJob(number: number, operations: operations, isNew: isNew)
    }

    /// Asks for what has happened after an event's number; the answer comes as soon as there is something, or after the time.
    ///
    /// - Parameters:
    ///   - number: the last event that is known; nil for the newest. Ask so with a time of zero, and go on from the page's
    ///     ``EventPage/last``: what happens while a longer wait has to be asked again on a new connection would be missed.
    ///   - limit: about how many events a page may have.
    ///   - time: how long to wait for the first of them.
    public func events(
        since number: UInt64?,
        limit: UInt32 = 1000,
        atMost time: Duration,
        timeout: Duration? = nil
    ) async throws(ClientError) -> EventPage {
        guard
            case .events(let page) = try await request(
                .watch(since: number, limit: limit, atMost: time),
                timeout: timeout
            )
        else { throw .wrongKind }
        return page
    }

    /// Reads a piece of an attempt's output; the last attempt's where none is named.
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

    /// Reads an operation's result; nil where it left none.
    public func result(of operation: Address, timeout: Duration? = nil) async throws(ClientError) -> [UInt8]? {
        guard case .result(let bytes) = try await request(.result(operation), timeout: timeout) else {
            throw .wrongKind
        }
        return bytes
    }

    /// Asks how far operations are; the answer comes once all are finished, or after the time.
    ///
    /// - Parameter began: when a wait for the queue began, by the first answer's ``WaitProgress/began``; nil for now.
    public func progress(
        of addresses: [Address],
        queue: String? = nil,
        by waiter: OperationID? = nil,
        since began: RecordMoment? = nil,
        atMost time: Duration,
        timeout: Duration? = nil
    ) async throws(ClientError) -> WaitProgress {
        let reply = try await request(
            .wait(addresses, queue: queue, atMost: time, waiter: waiter, since: began),
            timeout: timeout
        )
        guard case .progress(let progress) = reply else { throw .wrongKind }
        return progress
    }

    /// Waits until operations, jobs or a queue are finished, through whatever happens to the coordinator (WA8).
    ///
    /// - Parameters:
    ///   - addresses: what to wait for; unknown ones are refused.
    ///   - queue: a queue to wait for.
    ///   - waiter: the running operation that waits, if one does: a wait of it that could never end is refused (WA3).
    ///   - deadline: when to give up; nil for never.
    ///   - interval: how often `report` is called.
    ///   - report: called with each state of affairs, the last included.
    /// - Returns: the last state of affairs, which is unfinished only where the deadline came first.
    /// - Throws: ``ClientError``, `timedOut` where the deadline came while the coordinator was away.
    public func wait(
        for addresses: [Address],
        queue: String? = nil,
        by waiter: OperationID? = nil,
        until deadline: ContinuousClock.Instant? = nil,
        every interval: Duration,
        report: (WaitProgress) async -> Void = { _ in }
    ) async throws(ClientError) -> WaitProgress {
        var began: RecordMoment?
        while true {
            let rest = deadline.map { max(.zero, $0 - .now) }
            let progress = try await progress(
                of: addresses,
                queue: queue,
                by: waiter,
                since: began,
                atMost: min(interval, rest ?? interval),
                timeout: rest.map { $0 + .seconds(1) }
            )
            began = progress.began
            await report(progress)
            if progress.isFinished { return progress }
            if let deadline, deadline <= .now { return progress }
        }
    }
}

extension ClientError {
    fileprivate static let wrongKind = ClientError.malformedReply("it is of another kind than the request.")
}
