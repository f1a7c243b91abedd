public import BatonOperations

/// How far what a client waits for has come.
public struct WaitProgress: Hashable, Sendable {
    /// The counts of all that was named; of what has ended in a queue only once all is finished.
    public var counts: JobCounts
    /// Whether all of it is finished.
    public var isFinished: Bool
    /// When the wait for a queue began; nil where no queue was named.
    public var began: RecordMoment?

    /// Describes how far it has come.
    public init(counts: JobCounts, isFinished: Bool, began: RecordMoment? = nil) {
        self.counts = counts
        self.isFinished = isFinished
        self.began = began
    }
}
