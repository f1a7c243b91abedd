/// The version of the tables that finds jobs by their tags.
extension Schema {
    /// Version 19: the tags of jobs.
    static let version19 = """
        -- The tags of jobs, which are also part of the settings of each job: this table finds the jobs.
        CREATE TABLE job_tags (
            job INTEGER NOT NULL,
            tag TEXT NOT NULL,
            value TEXT NOT NULL,
            PRIMARY KEY (job, tag)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX jobs_by_tag ON job_tags (tag, value, job);
        """
}
