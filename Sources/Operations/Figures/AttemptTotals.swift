/// How many attempts have started, and how they have ended, since the start of a coordinator.
@_spi(Baton) public struct AttemptTotals: Hashable, Sendable {
    /// The end of an attempt.
    public enum End: String, CaseIterable, Hashable, Sendable {
        /// The attempt has done its work.
        case succeeded
        /// The attempt has ended with an error.
        case failed
        /// The attempt was ended because somebody had asked for it.
        case cancelled
        /// The attempt was lost with its worker, or its worker was not able to carry it on.
        case lost
        /// The worker has returned the attempt before its start.
        case givenBack
        /// The attempt was ended because its worker was stopped.
        case stopped
    }

    /// The number of starts.
    public var started: UInt64 = 0
    private var ends: [UInt64]

    /// Makes totals of no attempts.
    public init() {
        ends = Array(repeating: 0, count: End.allCases.count)
    }

    /// The number of attempts with an end.
    public subscript(end: End) -> UInt64 {
        get { ends[end.position] }
        set { ends[end.position] = newValue }
    }
}

extension AttemptTotals.End {
    /// The place of the end among all ends.
    fileprivate var position: Int {
        switch self {
        case .succeeded: 0
        case .failed: 1
        case .cancelled: 2
        case .lost: 3
        case .givenBack: 4
        case .stopped: 5
        }
    }
}
