/// The version of the tables that knows open jobs.
extension Schema {
    /// Version 20: jobs that take further operations.
    static let version20 = """
        -- is_open: whether the job takes further operations; operations counts those that were added, too.
        ALTER TABLE jobs ADD COLUMN is_open INTEGER NOT NULL DEFAULT 0;

        -- What was added to jobs after their submission: operations from the index `first` on, whose entries and templates are
        -- beside those of the job. first_order: as in jobs. added_by: the name of a key; NULL: nobody is known.
        CREATE TABLE additions (
            job INTEGER NOT NULL,
            first INTEGER NOT NULL,
            operations INTEGER NOT NULL,
            first_order INTEGER NOT NULL,
            key TEXT,
            key_digest INTEGER,
            added_at INTEGER NOT NULL,
            added_clock INTEGER NOT NULL,
            added_by TEXT,
            PRIMARY KEY (job, first)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX additions_by_key ON additions (job, key) WHERE key IS NOT NULL;
        """
}
