/// The version of the tables that knows when jobs began to run, and which attempts were stopped.
extension Schema {
    /// Version 21: the starts of finished jobs, and stopped attempts.
    static let version21 = """
        -- started_at: when the first attempt of a finished job was started; NULL: the job is not finished, or nothing has run.
        ALTER TABLE jobs ADD COLUMN started_at INTEGER;
        UPDATE jobs SET started_at = (SELECT min(started_at) FROM operations WHERE operations.job = jobs.job)
            WHERE finished_at IS NOT NULL;

        -- was_stopped: whether the attempt was ended because its worker was stopped; before version 21, nobody noted that.
        ALTER TABLE attempts ADD COLUMN was_stopped INTEGER NOT NULL DEFAULT 0;
        """
}
