@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// Reports to the coordinator about attempts.
extension WorkerSession {
    /// Reports that this session has not sent yet, oldest first.
    struct Unsent: Sendable {
        /// Started attempts, of commands or Swift operations, that the hello listed as waiting or that arrived after
        /// it.
        var started: [AttemptToken] = []
        /// Started attempts of which no report tells yet: with them, more attempts would have started and not ended than there are
        /// slots.
        ///
        /// They have the slots of attempts whose code is over, and whose files are being collected (ST3).
        var withheld: [AttemptToken] = []
        /// Attempts that will never start.
        var returned: [AttemptToken] = []
        /// Attempts whose ends lie in the outbox.
        var finished: [AttemptToken] = []
        /// Whether an attempt in this list has failed: the coordinator may have to cancel others, or to start it again.
        var hasFailure = false
        /// Whether the coordinator waits for a report in this list.
        var isUrgent = false
        /// Whether the next report tells of all starts: the coordinator has recalled a started attempt, or gets progress or a stop of one.
        var tellsAllStarts = false

        var isEmpty: Bool { started.isEmpty && returned.isEmpty && finished.isEmpty }

        mutating func removeAll() {
            started.removeAll(keepingCapacity: true)
            withheld.removeAll(keepingCapacity: true)
            returned.removeAll(keepingCapacity: true)
            finished.removeAll(keepingCapacity: true)
            hasFailure = false
            isUrgent = false
            tellsAllStarts = false
        }

        /// Adds an attempt whose end lies in the outbox.
        mutating func append(_ token: AttemptToken, with result: AttemptResult) {
            finished.append(token)
            if result.end != .exited(0) { hasFailure = true }
        }

        /// Lets the next report decide anew about the starts that were withheld.
        mutating func tellWithheld() {
            guard !withheld.isEmpty else { return }
            started = withheld + started
            withheld = []
        }
    }

    /// How long reports are gathered while attempts follow one another.
    ///
    /// A message costs both sides as much as a few attempts, and the prefetched attempts last longer than the
    /// gathering.
    static let gatheringTime = Duration.milliseconds(8)
    /// How many times as long reports of successes are gathered while at least as many attempts wait as have ended since the last report.
    ///
    /// Half of the attempts that were sent ahead are then still here when the report goes out.
    static let longGatherings = 6

    /// The time at which unsent reports have to go out; nil without unsent reports.
    ///
    /// Reports go out at once, except shortly after another report while attempts wait here for the next free slots:
    /// then the coordinator could only record the news. Reports about attempts that overtook waiting attempts always
    /// go out at once, since the coordinator may have more attempts for the front of the ready queue.
    var reportDueAt: Duration? {
        guard isWelcomed, !unsent.isEmpty else { return nil }
        guard let lastReport else { return .zero }
        let canWait = !unsent.isUrgent && unsent.returned.isEmpty && !slots.line.isEmpty && leaving == .no
        guard canWait else { return lastReport }
        let isFarAhead = slots.line.count >= max(unsent.finished.count, 2) && !unsent.hasFailure
        return lastReport + configuration.gatheringTime * (isFarAhead ? Self.longGatherings : 1)
    }

    /// Sends unsent reports in this turn: a coordinator that recalls an attempt waits to hear of its start.
    mutating func answerAtOnce() {
        if unsent.tellsAllStarts { unsent.tellWithheld() }
        unsent.isUrgent = !unsent.isEmpty
        // The starts had been told.
        if unsent.isEmpty { unsent.tellsAllStarts = false }
    }

    /// Sends unsent reports, with all starts, before a message about attempts that have started.
    mutating func sendStarts(now: Duration) {
        unsent.tellWithheld()
        guard !unsent.isEmpty else { return }
        unsent.tellsAllStarts = true
        sendReport(now: now)
    }

    /// Sends all unsent reports together, in more than one message if completions are long.
    ///
    /// The latest starts are withheld as long as the coordinator would count more executing attempts than the worker has slots.
    mutating func sendReport(now: Duration) {
        unsent.tellWithheld()
        var started = unsent.started.compactMap { token -> AttemptStart? in
            // Skip attempts that have become stale, and ended attempts, whose completions tell the start time.
            guard let attempt = attempts[token], !attempt.isDiscarded, !attempt.isFinished else { return nil }
            return AttemptStart(token, age: moment - attempt.startedAt)
        }
        let withheld = unsent.tellsAllStarts ? [] : started.suffix(slots.excess)
        started.removeLast(withheld.count)
        var report = AttemptReport(started: started, returned: unsent.returned)
        var length = 0
        for token in unsent.finished {
            // An answer to the same completion in an earlier session may have acknowledged the attempt meanwhile.
            guard let attempt = attempts[token], case .finished(let result) = attempt.phase else { continue }
            if length + result.approximateLength > Self.maximumBatchLength, !report.completions.isEmpty {
                effects.append(.send(.report(session, report)))
                report = AttemptReport()
                length = 0
            }
            report.completions.append(
                Completion(
                    token: token,
                    operation: attempt.operation,
                    result: result,
                    age: moment - attempt.endedAt
                )
            )
            length += result.approximateLength
        }
        unsent.removeAll()
        if !withheld.isEmpty { unsent.withheld = withheld.map(\.token) }
        guard report != AttemptReport() else { return }
        lastReport = now
        effects.append(.send(.report(session, report)))
    }

    /// The approximate most bytes of completions in one message, and therefore of at most 65,536 completions: the coordinator
    /// accepts no more (``WireLimits``).
    static let maximumBatchLength = 4 << 20
}

extension AttemptResult {
    /// The approximate number of bytes in a message, including token and operation.
    fileprivate var approximateLength: Int {
        64 + standardOutput.bytes.count + standardError.bytes.count + (result?.count ?? 0) + end.textLength
            + (files.isEmpty ? 0 : files.reduce(0) { $0 + $1.path.utf8.count + KeptFile.approximateLengthWithoutPath })
    }
}

extension AttemptEnd {
    /// The number of bytes of the sentence or error in a message.
    fileprivate var textLength: Int {
        switch self {
        case .notStarted(let text), .unusableResult(let text), .unkeptFiles(let text), .threw(let text),
            .workerFault(let text, _), .lostInputs(let text):
            text.utf8.count
        case .exited, .signalled, .timedOut, .interrupted, .cancelled, .stopped, .exceededMemory, .noRoom: 0
        }
    }
}

extension KeptFile {
    /// The approximate number of bytes of a file in a message, beside its path.
    fileprivate static let approximateLengthWithoutPath = 48
}
