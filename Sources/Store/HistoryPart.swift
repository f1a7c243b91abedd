@_spi(Baton) public import BatonOperations

/// A part of a job's history, as the record has it.
@_spi(Baton) public struct HistoryPart: Hashable, Sendable {
    /// The entries, in order; the first and the last may reach beyond the part.
    public var entries: [HistoryEntry] = []
    /// The states of the operations, in order; operations without any history have none, and unfinished ones need not have one.
    ///
    /// The first and the last may reach beyond the part.
    public var operations: [OperationHistory] = []
    /// The attempts that ended before their operations, by operation and attempt.
    public var attempts: [EarlierAttempt] = []
    /// What was fetched for attempts, by operation and attempt.
    public var fetches: [HistoryFetch] = []
    /// The files that attempts left, by operation.
    public var files: [HistoryFiles] = []
    /// The indices of the operations.
    public var range: Range<UInt32>
    /// The number of operations of the job.
    public var count: UInt32

    /// The index of the first operation behind the part; nil if the part ends with the job.
    public var next: UInt32? { range.upperBound < count ? range.upperBound : nil }
}
