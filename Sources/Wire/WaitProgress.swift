public import Operations

/// How far what a client waits for has come.
public struct WaitProgress: Hashable, Sendable {
    /// The counts of all that was named; of what has ended in a queue only once all is finished.
    public var counts: JobCounts
    /// Whether all of it is finished.
    public var isFinished: Bool
    /// When the wait for a queue began, by the record's own clock; nil where no queue was named.
    public var began: Timestamp?

    /// Describes how far it has come.
    public init(counts: JobCounts, isFinished: Bool, began: Timestamp? = nil) {
        self.counts = counts
        self.isFinished = isFinished
        self.began = began
    }
}
