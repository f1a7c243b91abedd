extension Schema {
    /// The views for people.
    static let views = """
        -- For people: addresses, words and dates.
        \(jobList)

        CREATE VIEW operation_list AS
        SELECT o.job || '/' || o.first AS operation, o.last - o.first + 1 AS count, e.name,
            json_extract(j.queue_names, '$[' || e.queue || ']') AS queue,
            coalesce(o.level, json_extract(e.settings, '$.priority'), 0) AS priority,
            o.state, o.outcome, o.is_cancelled, o.is_held, o.reason, o.message, o.root, o.exit_status, o.signal, o.attempt,
            o.losses, (o.token >> 40 & 16777215) || '.' || (o.token & 1099511627775) AS token, o.worker,
            strftime('%Y-%m-%dT%H:%M:%fZ', o.ready_at / 1e6, 'unixepoch') AS ready_at,
            strftime('%Y-%m-%dT%H:%M:%fZ', o.started_at / 1e6, 'unixepoch') AS started_at,
            strftime('%Y-%m-%dT%H:%M:%fZ', o.finished_at / 1e6, 'unixepoch') AS finished_at
        FROM operations o
        JOIN entries e ON e.job = o.job
            AND e.first = (SELECT max(first) FROM entries WHERE job = o.job AND first <= o.first)
        JOIN jobs j ON j.job = o.job;

        CREATE VIEW attempt_list AS
        SELECT job || '/' || operation AS operation, attempt, worker, reason, message, exit_status, signal,
            strftime('%Y-%m-%dT%H:%M:%fZ', started_at / 1e6, 'unixepoch') AS started_at,
            strftime('%Y-%m-%dT%H:%M:%fZ', ended_at / 1e6, 'unixepoch') AS ended_at
        FROM attempts;

        CREATE VIEW usage_list AS
        SELECT job || '/' || operation AS operation, attempt, processor_us / 1e6 AS processor_seconds, peak_memory FROM usages;

        \(fileList)

        CREATE VIEW failure_list AS
        SELECT f.job || '/' || f.operation AS operation, f.number AS failure_group, g.reason, g.exit_status, g.signal, g.line
        FROM failures f JOIN failure_groups g ON g.job = f.job AND g.number = f.number;

        CREATE VIEW action_list AS
        SELECT strftime('%Y-%m-%dT%H:%M:%fZ', time / 1e6, 'unixepoch') AS time, action, subject, requested_by FROM (
            SELECT time, action, subject, requested_by FROM actions
            UNION ALL
            SELECT submitted_at, 'submit', CAST(job AS TEXT), submitted_by FROM jobs WHERE submitted_by IS NOT NULL
        ) ORDER BY time;
        """

    /// The list of jobs for people, as of version 2.
    static let jobList = """
        CREATE VIEW job_list AS
        SELECT job, name, key, queue, operations,
            iif(finished_at IS NULL, 'unfinished', 'finished') AS state,
            CASE WHEN finished_at IS NULL THEN NULL
                WHEN failed + cancelled + skipped + was_cancelled = not_needed THEN 'succeeded'
                WHEN failed + skipped_after_failure > 0 THEN 'failed' ELSE 'cancelled' END AS outcome,
            succeeded, failed, cancelled, skipped, iif(finished_at IS NULL, NULL, not_needed) AS not_needed, retry_of,
            submitted_by, strftime('%Y-%m-%dT%H:%M:%fZ', submitted_at / 1e6, 'unixepoch') AS submitted_at,
            strftime('%Y-%m-%dT%H:%M:%fZ', finished_at / 1e6, 'unixepoch') AS finished_at
        FROM jobs;
        """

    /// The list of kept files for people, since version 7.
    static let fileList = """
        CREATE VIEW file_list AS
        SELECT job || '/' || operation AS operation, path, size, printf('%04o', mode) AS mode, lower(hex(digest)) AS digest, attempt
        FROM files;
        """
}
