/// The files of a finished job that are kept for some time after its end.
@_spi(Baton) public struct FinishedJobFiles: Hashable, Sendable {
    /// The job.
    public var job: JobNumber
    /// Until when the files are kept, by the record's own clock, and for a scheduler by the coordinator's.
    public var until: Timestamp
    /// The files, by operation.
    public var sources: [FileSource]

    /// Describes the files of a job.
    public init(job: JobNumber, until: Timestamp, sources: [FileSource]) {
        self.job = job
        self.until = until
        self.sources = sources
    }
}
