/// A backup in the place of a record: `restore`.
@_spi(Baton) public struct RestoreDocument: Document {
    /// The file of the record.
    public var record: String
    /// The backup.
    public var file: String
    /// The number of jobs in the backup, the finished ones included.
    public var jobs: Int
    /// The highest number that a job of the backup has or had; null if there never was a job.
    public var newestJob: UInt32?
    /// The highest number of a job of the earlier record; null if there was none, or it cannot be read.
    public var newestJobBefore: UInt32?
    /// The file of the earlier record; null if there was none.
    public var setAside: String?
    /// The number that the next job gets.
    public var nextJob: UInt32

    /// Describes a restore.
    public init(
        record: String,
        file: String,
        jobs: Int,
        newestJob: UInt32?,
        newestJobBefore: UInt32?,
        setAside: String?,
        nextJob: UInt32
    ) {
        self.record = record
        self.file = file
        self.jobs = jobs
        self.newestJob = newestJob
        self.newestJobBefore = newestJobBefore
        self.setAside = setAside
        self.nextJob = nextJob
    }
}
