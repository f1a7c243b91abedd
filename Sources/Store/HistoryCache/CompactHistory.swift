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
