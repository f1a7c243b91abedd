/// The version of the tables that know which failures are alike.
extension Schema {
    /// Version 16: groups of failures.
    ///
    /// Earlier failures are grouped without their lines of standard error, which are no values in columns.
    static let version16 = """
        -- Alike failures of a job. line: the last line of standard error, or else the message, with # for digits; empty: for
        -- those from before version 16, and beyond the first 500 groups of a job. operations: how many failed so.
        CREATE TABLE failure_groups (
            job INTEGER NOT NULL,
            number INTEGER NOT NULL,
            reason TEXT NOT NULL,
            exit_status INTEGER,
            signal INTEGER,
            line TEXT NOT NULL,
            operations INTEGER NOT NULL,
            PRIMARY KEY (job, number)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX failure_groups_by_line ON failure_groups (job, line);

        -- The failed operations, with the numbers of their groups.
        CREATE TABLE failures (
            job INTEGER NOT NULL,
            operation INTEGER NOT NULL,
            number INTEGER NOT NULL,
            PRIMARY KEY (job, operation)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX failures_by_group ON failures (job, number, operation);

        INSERT INTO failure_groups
            SELECT job, row_number() OVER (PARTITION BY job ORDER BY min(first)), coalesce(reason, 'exit'), exit_status,
                signal, '', sum(last - first + 1)
            FROM operations WHERE outcome = 'failed' GROUP BY job, coalesce(reason, 'exit'), exit_status, signal;
        INSERT INTO failures
            WITH RECURSIVE failed (job, operation, last, reason, exit_status, signal) AS (
                SELECT job, first, last, coalesce(reason, 'exit'), exit_status, signal FROM operations
                WHERE outcome = 'failed'
                UNION ALL
                SELECT job, operation + 1, last, reason, exit_status, signal FROM failed WHERE operation < last
            )
            SELECT f.job, f.operation, g.number FROM failed f JOIN failure_groups g ON g.job = f.job
                AND g.reason = f.reason AND g.exit_status IS f.exit_status AND g.signal IS f.signal;

        CREATE VIEW failure_list AS
        SELECT f.job || '/' || f.operation AS operation, f.number AS failure_group, g.reason, g.exit_status, g.signal, g.line
        FROM failures f JOIN failure_groups g ON g.job = f.job AND g.number = f.number;
        """
}
