/// The versions of the tables that know who asked.
extension Schema {
    /// Version 14: who asked for jobs and changes, and the keys of workers.
    static let version14 = """
        -- key: the number of the key that the worker joined with; NULL: the coordinator had no keys.
        ALTER TABLE workers ADD COLUMN key INTEGER;

        -- submitted_by: who asked for the job: the name of a key; NULL: nobody is known.
        ALTER TABLE jobs ADD COLUMN submitted_by TEXT;

        -- The changes that a known requester asked for, besides the submission of jobs, for people to read; kept as long as the
        -- events. event: the number of the first event. subject: an operation, neighbouring operations such as 12/3-7, or a
        -- queue.
        CREATE TABLE actions (
            event INTEGER PRIMARY KEY,
            time INTEGER NOT NULL,
            action TEXT NOT NULL,
            subject TEXT NOT NULL,
            requested_by TEXT NOT NULL
        ) STRICT;

        CREATE VIEW action_list AS
        SELECT strftime('%Y-%m-%dT%H:%M:%fZ', time / 1e6, 'unixepoch') AS time, action, subject, requested_by FROM (
            SELECT time, action, subject, requested_by FROM actions
            UNION ALL
            SELECT submitted_at, 'submit', CAST(job AS TEXT), submitted_by FROM jobs WHERE submitted_by IS NOT NULL
        ) ORDER BY time;

        DROP VIEW job_list;
        CREATE VIEW job_list AS
        SELECT job, name, key, queue, operations,
            iif(finished_at IS NULL, 'unfinished', 'finished') AS state,
            CASE WHEN finished_at IS NULL THEN NULL WHEN failed + cancelled + skipped = not_needed THEN 'succeeded'
                WHEN failed + skipped_after_failure > 0 THEN 'failed' ELSE 'cancelled' END AS outcome,
            succeeded, failed, cancelled, skipped, iif(finished_at IS NULL, NULL, not_needed) AS not_needed, retry_of,
            submitted_by, strftime('%Y-%m-%dT%H:%M:%fZ', submitted_at / 1e6, 'unixepoch') AS submitted_at,
            strftime('%Y-%m-%dT%H:%M:%fZ', finished_at / 1e6, 'unixepoch') AS finished_at
        FROM jobs;
        """
}
