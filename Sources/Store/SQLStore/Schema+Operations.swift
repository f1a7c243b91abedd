extension Schema {
    /// The tables of the events of operations, and of their results and files.
    static let operationTables = """
        -- What happened to operations. Rows never overlap: each covers the operations from `first` to `last`, and several only for elements
        -- of an array with the same history that never started. An operation without any history has no row.
        -- attempt: the number of the last one. losses: how many were lost. failures: how many failed and were made up for.
        -- token: the epoch in the upper 24 bits, a serial number in the lower 40.
        -- level, level_order: the priority that was given after the submission, and the first one's number in the order of such.
        -- root: what a skipped operation was skipped for, 'failed 12/0' or 'cancelled 12/0'; NULL: it was not needed (its reason says so).
        --   With '+' behind it, of a row of several operations: the root of each is as far from that of the first as it is from the first.
        CREATE TABLE operations (
            job INTEGER NOT NULL,
            first INTEGER NOT NULL,
            last INTEGER NOT NULL,
            state TEXT NOT NULL,
            outcome TEXT,
            is_cancelled INTEGER NOT NULL,
            reason TEXT,
            message TEXT,
            exit_status INTEGER,
            signal INTEGER,
            attempt INTEGER NOT NULL,
            losses INTEGER NOT NULL,
            token INTEGER,
            worker TEXT,
            ready_at INTEGER,
            started_at INTEGER,
            finished_at INTEGER,
            not_before INTEGER,
            has_result INTEGER NOT NULL,
            is_held INTEGER NOT NULL DEFAULT 0,
            level INTEGER,
            level_order INTEGER,
            root TEXT,
            failures INTEGER NOT NULL DEFAULT 0,
            has_files INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (job, first)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX operations_with_results ON operations (job, first) WHERE has_result = 1;
        \(files)
        \(fetches)

        -- The dependencies of operations whose dependencies were changed after the submission, in the form of the entries'.
        CREATE TABLE operation_dependencies (
            job INTEGER NOT NULL,
            operation INTEGER NOT NULL,
            dependencies TEXT NOT NULL,
            PRIMARY KEY (job, operation)
        ) STRICT, WITHOUT ROWID;

        -- The programs of operations to which some were added after the submission, in the form of the templates'.
        CREATE TABLE operation_commands (
            job INTEGER NOT NULL,
            operation INTEGER NOT NULL,
            commands TEXT NOT NULL,
            PRIMARY KEY (job, operation)
        ) STRICT, WITHOUT ROWID;

        -- The attempts that ended before their operation, the last 20 of each operation; the attempt that ended the operation is
        -- part of its row in the table operations. started_at NULL: the attempt was lost before its worker reported a start.
        -- was_stopped: whether the attempt was ended because its worker was stopped. token: as in the table operations; NULL if it is
        -- not known. memory, timeout_us: what the attempt might use, where that was more than the operation began with; else NULL.
        CREATE TABLE attempts (
            job INTEGER NOT NULL,
            operation INTEGER NOT NULL,
            attempt INTEGER NOT NULL,
            worker TEXT,
            started_at INTEGER,
            ended_at INTEGER NOT NULL,
            reason TEXT NOT NULL,
            message TEXT NOT NULL,
            exit_status INTEGER,
            signal INTEGER,
            was_stopped INTEGER NOT NULL DEFAULT 0,
            token INTEGER,
            memory INTEGER,
            timeout_us INTEGER,
            PRIMARY KEY (job, operation, attempt)
        ) STRICT, WITHOUT ROWID;

        -- What an attempt left: the ends of its streams, their lengths in all, and its result.
        CREATE TABLE outputs (
            job INTEGER NOT NULL,
            operation INTEGER NOT NULL,
            attempt INTEGER NOT NULL,
            stdout_length INTEGER NOT NULL,
            stdout BLOB NOT NULL,
            stderr_length INTEGER NOT NULL,
            stderr BLOB NOT NULL,
            result BLOB,
            PRIMARY KEY (job, operation, attempt)
        ) STRICT;

        -- What the processes of an attempt used. processor_us: in programs and kernel. peak_memory: the most resident bytes of a
        -- single process. A table of its own, so that sums over a job do not read its output.
        CREATE TABLE usages (
            job INTEGER NOT NULL,
            operation INTEGER NOT NULL,
            attempt INTEGER NOT NULL,
            processor_us INTEGER NOT NULL,
            peak_memory INTEGER NOT NULL,
            PRIMARY KEY (job, operation, attempt)
        ) STRICT, WITHOUT ROWID;

        -- Alike failures of a job. operations: how many failed so.
        -- line: the last line of standard error, or else the message, with # for digits; empty beyond the first 500 groups of a job.
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

        -- Completion hooks that are still to be run, oldest first. worker: that of the last attempt.
        CREATE TABLE hooks (
            number INTEGER PRIMARY KEY,
            job INTEGER NOT NULL,
            operation INTEGER NOT NULL,
            attempt INTEGER NOT NULL,
            outcome TEXT NOT NULL,
            worker TEXT,
            is_cancelled INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE UNIQUE INDEX hooks_by_operation ON hooks (job, operation);

        -- How completion hooks ended. reason: NULL after success. stderr: the last lines.
        \(hookEnds)
        """

    /// The table of kept files, since version 7.
    static let files = """
        -- The files that workers keep of operations: those of one attempt of each, 0 for files that were taken over from an earlier job.
        -- path: relative to the operation's directory. mode: its permissions, a number. digest: SHA-256 of the content.
        CREATE TABLE files (
            job INTEGER NOT NULL,
            operation INTEGER NOT NULL,
            path TEXT NOT NULL,
            attempt INTEGER NOT NULL,
            size INTEGER NOT NULL,
            mode INTEGER NOT NULL,
            digest BLOB NOT NULL,
            PRIMARY KEY (job, operation, path)
        ) STRICT, WITHOUT ROWID;
        """

    /// The table of fetched files, since version 7.
    static let fetches = """
        -- What the workers of attempts fetched before these started, of the last attempts of each operation that needed it.
        -- files: the number of different contents. sent_at: when the attempt was sent. arrived_at: when the last of them was there.
        CREATE TABLE fetches (
            job INTEGER NOT NULL,
            operation INTEGER NOT NULL,
            attempt INTEGER NOT NULL,
            sent_at INTEGER NOT NULL,
            arrived_at INTEGER NOT NULL,
            files INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            PRIMARY KEY (job, operation, attempt)
        ) STRICT, WITHOUT ROWID;
        """

    /// The table of the ends of completion hooks, since version 3.
    static let hookEnds = """
        CREATE TABLE hook_ends (
            job INTEGER NOT NULL,
            operation INTEGER NOT NULL,
            worker TEXT,
            started_at INTEGER,
            ended_at INTEGER NOT NULL,
            reason TEXT,
            message TEXT,
            exit_status INTEGER,
            signal INTEGER,
            stderr TEXT NOT NULL,
            PRIMARY KEY (job, operation)
        ) STRICT, WITHOUT ROWID;
        """
}
