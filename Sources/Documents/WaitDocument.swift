@_spi(Baton) public import BatonOperations

/// The end of a wait: `wait`.
@_spi(Baton) public struct WaitDocument: Document {
    /// Whether all named operations are finished; false after a timeout.
    public var finished: Bool
    /// The common outcome of all named operations (D10); nil after a timeout.
    public var outcome: Outcome?
    /// The counts of all named operations.
    public var counts: JobCounts

    /// The time from the first submission to the last end, if all targets are whole jobs, and few; else nil.
    public var elapsedSeconds: Double?
    /// The run times of all attempts of these jobs together; nil like the elapsed time.
    public var busySeconds: Double?
    /// The operations of these jobs that took the longest, the slowest first; nil like the elapsed time.
    public var slowest: [SummaryDocument.OperationTime]?

    /// Describes the end of a wait.
    public init(finished: Bool, counts: JobCounts) {
        self.finished = finished
        outcome = finished ? counts.outcome : nil
        self.counts = counts
    }
}
