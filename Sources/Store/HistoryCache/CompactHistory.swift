@_spi(Baton) import BatonOperations

/// The history of a finished operation in 40 bytes, without its index.
struct CompactHistory: Sendable {
    private struct Marks: OptionSet {
        let rawValue: UInt8

        static let hasExitStatus = Marks(rawValue: 1)
        static let hasSignal = Marks(rawValue: 2)
        static let isSkippedAfterFailure = Marks(rawValue: 4)
    }

    /// The moment that stands for none; no moment of a record is as early.
    private static let noMoment = Int64.min

    private let readyAt: Int64
    private let startedAt: Int64
    private let finishedAt: Int64
    private let attempt: UInt32
    private let exitStatus: Int32
    private let signal: Int16
    /// The number of the worker among those of the job; 0 for none.
    let worker: UInt16
    private let outcome: Outcome?
    private let reason: Reason.Code?
    private let marks: Marks

    /// The history of no operation.
    static let empty = CompactHistory()

    private init() {
        (readyAt, startedAt, finishedAt) = (Self.noMoment, Self.noMoment, Self.noMoment)
        (attempt, exitStatus, signal, worker) = (0, 0, 0, 0)
        (outcome, reason, marks) = (nil, nil, [])
    }

    /// The history of a finished operation; nil for an unfinished one, or if a value does not fit.
    ///
    /// - Parameter worker: the number of the worker among those of the job; 0 for none.
    init?(_ history: OperationHistory, worker: UInt16) {
        guard history.state == .finished, let outcome = history.outcome,
            let signal = Int16(exactly: history.signal ?? 0)
        else { return nil }
        self.outcome = outcome
        self.signal = signal
        self.worker = worker
        readyAt = history.readyAt?.rawValue ?? Self.noMoment
        startedAt = history.startedAt?.rawValue ?? Self.noMoment
        finishedAt = history.finishedAt?.rawValue ?? Self.noMoment
        attempt = history.attempt
        exitStatus = history.exitStatus ?? 0
        reason = history.reason
        var marks: Marks = []
        if history.exitStatus != nil { marks.insert(.hasExitStatus) }
        if history.signal != nil { marks.insert(.hasSignal) }
        if history.isSkippedAfterFailure { marks.insert(.isSkippedAfterFailure) }
        self.marks = marks
    }

    /// Whether this is the history of no operation.
    var isEmpty: Bool { outcome == nil }

    /// When the operation finished; nil for none, after a moment, and, if that is asked, for one that has not run.
    func end(by limit: Timestamp, hasRun: Bool) -> Timestamp? {
        guard !isEmpty, finishedAt != Self.noMoment, finishedAt <= limit.rawValue else { return nil }
        return hasRun && startedAt == Self.noMoment ? nil : Timestamp(rawValue: finishedAt)
    }

    /// Whether this is the history of an operation that meets conditions.
    ///
    /// - Parameters:
    ///   - outcomes: the wanted outcomes; nil for any.
    ///   - worker: the wanted worker's number, an inner nil for a worker of no operation; nil for any worker or none.
    ///   - since: a moment at or after which the operation started or finished; nil for any.
    func meets(outcomes: [Outcome]?, worker: UInt16??, since: Timestamp?) -> Bool {
        guard let outcome, outcomes.map({ $0.contains(outcome) }) ?? true else { return false }
        if let worker, worker != self.worker { return false }
        guard let since else { return true }
        return startedAt != Self.noMoment && startedAt >= since.rawValue
            || finishedAt != Self.noMoment && finishedAt >= since.rawValue
    }

    /// The history in full.
    ///
    /// - Parameters:
    ///   - index: the operation.
    ///   - worker: the name of the worker.
    func history(of index: UInt32, worker: String?) -> OperationHistory {
        var history = OperationHistory(first: index, state: .finished)
        history.outcome = outcome
        history.reason = reason
        history.isSkippedAfterFailure = marks.contains(.isSkippedAfterFailure)
        history.exitStatus = marks.contains(.hasExitStatus) ? exitStatus : nil
        history.signal = marks.contains(.hasSignal) ? Int32(signal) : nil
        history.attempt = attempt
        history.worker = worker
        history.readyAt = Self.moment(readyAt)
        history.startedAt = Self.moment(startedAt)
        history.finishedAt = Self.moment(finishedAt)
        return history
    }

    private static func moment(_ rawValue: Int64) -> Timestamp? {
        rawValue == noMoment ? nil : Timestamp(rawValue: rawValue)
    }
}
