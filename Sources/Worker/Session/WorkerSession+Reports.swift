import BatonOperations
import BatonWire

/// What the coordinator is told of attempts.
extension WorkerSession {
    /// What this session has not told the coordinator yet, oldest first.
    struct Unsent: Sendable {
        /// Attempts that the hello called waiting, or that came after it, and that have been started: programs and typed ones.
        var started: [AttemptToken] = []
        /// Attempts that will never start.
        var returned: [AttemptToken] = []
        /// Attempts whose ends lie in the outbox.
        var finished: [AttemptToken] = []
        /// Something in here is an answer that somebody waits for.
        var isUrgent = false

        var isEmpty: Bool { started.isEmpty && returned.isEmpty && finished.isEmpty }

        mutating func removeAll() {
            started.removeAll(keepingCapacity: true)
            returned.removeAll(keepingCapacity: true)
            finished.removeAll(keepingCapacity: true)
            isUrgent = false
        }
    }

    /// How long reports are gathered while attempts follow one another: a message costs both sides as much as a few attempts
    /// do, and what was sent ahead lasts longer than that.
    static let gatheringTime = Duration.milliseconds(4)

    /// When what is unsent has to go out; nil where nothing is.
    ///
    /// That is at once, unless the last report has just been sent and the coordinator could not do anything with this one but
    /// note it, as attempts wait here for the next free slots. What was put before those is told of at once: there may be
    /// more that comes before them.
    var reportDueAt: Duration? {
        guard isWelcomed, !unsent.isEmpty else { return nil }
        guard let lastReport else { return .zero }
        let canWait = !unsent.isUrgent && unsent.returned.isEmpty && !slots.line.isEmpty && leaving == .no
        return canWait ? lastReport + Self.gatheringTime : lastReport
    }

    /// Has what is unsent sent with this turn: one who asks for an attempt back waits to hear that it has started.
    mutating func answerAtOnce() {
        unsent.isUrgent = !unsent.isEmpty
    }

    /// Sends all that is unsent together, in more than one message where completions are long.
    mutating func sendReport(now: Duration) {
        lastReport = now
        var report = AttemptReport(
            started: unsent.started.compactMap { token in
                // Some may have turned out stale since, and what is over says itself when it started.
                guard let attempt = attempts[token], !attempt.isDiscarded, !attempt.isFinished else { return nil }
                return AttemptStart(token, age: moment - attempt.startedAt)
            },
            returned: unsent.returned
        )
        var length = 0
        for token in unsent.finished {
            // It may have been acknowledged meanwhile, by an answer to the same completion in an earlier session.
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
        if report != AttemptReport() { effects.append(.send(.report(session, report))) }
    }

    /// The most bytes of completions in one message.
    static let maximumBatchLength = 4 << 20
}

extension AttemptResult {
    /// About how many bytes it takes in a message, its token and operation included.
    fileprivate var approximateLength: Int {
        64 + standardOutput.bytes.count + standardError.bytes.count + (result?.count ?? 0)
    }
}
