public import Operations

/// How far what a client waits for has come.
public struct WaitProgress: Hashable, Sendable {
    /// The counts of all that was named.
    public var counts: JobCounts
    /// Whether all of it is finished.
    public var isFinished: Bool

    /// Describes how far it has come.
    public init(counts: JobCounts, isFinished: Bool) {
        self.counts = counts
        self.isFinished = isFinished
    }
}
