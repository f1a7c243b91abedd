/// The part of a job's history that a client wants to read.
@_spi(Baton) public struct HistorySelection: Hashable, Sendable {
    /// The job.
    public var job: JobNumber
    /// The index of the first operation.
    public var from: UInt32
    /// The most operations of the page; a page may be shorter.
    public var limit: UInt32

    /// Selects a part of a history.
    public init(job: JobNumber, from: UInt32 = 0, limit: UInt32 = UInt32(HistoryPage.mostOperations)) {
        self.job = job
        self.from = from
        self.limit = limit
    }
}
