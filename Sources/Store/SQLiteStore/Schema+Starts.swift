/// The version of the tables that knows when jobs began to run.
extension Schema {
    /// Version 21: the starts of finished jobs.
    static let version21 = """
        -- started_at: when the first attempt of a finished job was started; NULL: the job is not finished, or nothing has run.
        ALTER TABLE jobs ADD COLUMN started_at INTEGER;
        UPDATE jobs SET started_at = (SELECT min(started_at) FROM operations WHERE operations.job = jobs.job)
            WHERE finished_at IS NOT NULL;
        """
}
