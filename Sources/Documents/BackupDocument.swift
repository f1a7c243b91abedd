/// A copy of a record: `backup`.
@_spi(Baton) public struct BackupDocument: Document {
    /// The record that was copied.
    public var record: String
    /// The file that was written.
    public var file: String
    /// The number of jobs in the copy, the finished ones included.
    public var jobs: Int
    /// The highest number that a job of the copy has or had; null if there never was a job.
    public var newestJob: UInt32?
    /// The size of the copy in bytes.
    public var bytes: Int64

    /// Describes a copy.
    public init(record: String, file: String, jobs: Int, newestJob: UInt32?, bytes: Int64) {
        self.record = record
        self.file = file
        self.jobs = jobs
        self.newestJob = newestJob
        self.bytes = bytes
    }
}
