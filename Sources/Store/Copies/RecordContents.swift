@_spi(Baton) public import BatonOperations

/// What a copy of a record holds.
@_spi(Baton) public struct RecordContents: Hashable, Sendable {
    /// The number of jobs, the finished ones included.
    public var jobs: Int
    /// The highest number that a job has or had; nil if there never was a job.
    public var newestJob: JobNumber?
    /// The size of the file in bytes.
    public var bytes: Int64
    /// What the record had when it was copied; nil for a record of a version that counted no commits.
    var tally: RecordTally?
}

extension RecordContents {
    /// Reads what a database holds that belongs to Baton.
    ///
    /// - Complexity: O(jobs).
    init(of database: Database) throws(SQLError) {
        let pages = try database.number("PRAGMA page_count") ?? 0
        let size = try database.number("PRAGMA page_size") ?? 0
        let jobs = try database.number("SELECT count(*) FROM jobs") ?? 0
        bytes = pages.multipliedReportingOverflow(by: size).partialValue
        self.jobs = Int(clamping: jobs)
        newestJob = try Self.newestJob(of: database)
        tally = try SQLStore.tally(of: database)
    }

    /// The highest number that a job has or had in a database that belongs to Baton.
    ///
    /// - Complexity: O(log jobs).
    static func newestJob(of database: Database) throws(SQLError) -> JobNumber? {
        let kept = try database.number("SELECT max(job) FROM jobs") ?? 0
        let removed = try database.number("SELECT value FROM meta WHERE key = 'newest_removed_job'") ?? 0
        let newest = UInt32(clamping: max(kept, removed))
        return newest == 0 ? nil : JobNumber(newest)
    }
}
