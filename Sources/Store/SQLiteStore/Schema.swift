/// The tables of the record.
///
/// People can read the tables too: states and outcomes are words, and the views `job_list` and `operation_list` give times as
/// dates. In the tables, times are microseconds since 1970 in UTC and durations (`_us`) are microseconds.
enum Schema {
    /// Version 1.
    ///
    /// Rows of `operations` never overlap: each row covers the operations from `first` to `last`. A row covers several
    /// operations only for array elements with the same history that never started. An operation without any history has no
    /// row.
    static let version1 = """
        -- epoch: how often a coordinator started; finished_*: how the operations of finished jobs ended.
        CREATE TABLE meta (
            key TEXT PRIMARY KEY,
            value INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        INSERT INTO meta VALUES
            ('epoch', 0), ('finished_succeeded', 0), ('finished_failed', 0), ('finished_cancelled', 0), ('finished_skipped', 0);

        -- max_concurrent NULL: no limit.
        CREATE TABLE queues (
            name TEXT PRIMARY KEY,
            max_concurrent INTEGER,
            quality_of_service TEXT
        ) STRICT, WITHOUT ROWID;

        -- queue: that of the first operation. queue_names, queue_changes: JSON arrays, as submitted.
        CREATE TABLE jobs (
            job INTEGER PRIMARY KEY,
            name TEXT,
            key TEXT,
            queue TEXT NOT NULL,
            operations INTEGER NOT NULL,
            submitted_at INTEGER NOT NULL,
            finished_at INTEGER,
            succeeded INTEGER,
            failed INTEGER,
            cancelled INTEGER,
            skipped INTEGER,
            queue_names TEXT NOT NULL,
            queue_changes TEXT NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX jobs_by_key ON jobs (key) WHERE key IS NOT NULL;
        CREATE INDEX unfinished_jobs ON jobs (job) WHERE finished_at IS NULL;

        -- What alike entries share. commands: a JSON array of programs with their arguments; NULL does nothing.
        -- grace_us NULL: forever.
        CREATE TABLE templates (
            job INTEGER NOT NULL,
            template INTEGER NOT NULL,
            commands TEXT,
            environment TEXT NOT NULL,
            directory TEXT,
            standard_input TEXT,
            timeout_us INTEGER,
            grace_us INTEGER,
            retries INTEGER NOT NULL,
            retry_delay_us INTEGER NOT NULL,
            quality_of_service TEXT,
            PRIMARY KEY (job, template)
        ) STRICT, WITHOUT ROWID;

        -- What was submitted: an operation, or an array of `count` of them from the index `first` on.
        -- queue: a position in the job's queue_names. priority: -8 to 8. dependencies: 'any /3, success 12/4, failure 7'.
        -- array: NULL, 'numbers' (from array_first in steps of array_step) or 'lines' (in array_items).
        CREATE TABLE entries (
            job INTEGER NOT NULL,
            first INTEGER NOT NULL,
            count INTEGER NOT NULL,
            name TEXT,
            template INTEGER NOT NULL,
            queue INTEGER NOT NULL,
            priority INTEGER NOT NULL,
            delay_us INTEGER,
            dependencies TEXT NOT NULL,
            array TEXT,
            array_first INTEGER,
            array_step INTEGER,
            PRIMARY KEY (job, first)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX entries_by_name ON entries (job, name) WHERE name IS NOT NULL;

        -- The lines of an array, some hundred a row, from a position in the array on: a JSON array.
        CREATE TABLE array_items (
            job INTEGER NOT NULL,
            first INTEGER NOT NULL,
            position INTEGER NOT NULL,
            items TEXT NOT NULL,
            PRIMARY KEY (job, first, position)
        ) STRICT;

        -- token: the epoch in the upper 24 bits, a serial number in the lower 40.
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
            PRIMARY KEY (job, first)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX operations_with_results ON operations (job, first) WHERE has_result = 1;

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

        CREATE VIEW job_list AS
        SELECT job, name, key, queue, operations,
            iif(finished_at IS NULL, 'unfinished', 'finished') AS state, succeeded, failed, cancelled, skipped,
            strftime('%Y-%m-%dT%H:%M:%fZ', submitted_at / 1e6, 'unixepoch') AS submitted_at,
            strftime('%Y-%m-%dT%H:%M:%fZ', finished_at / 1e6, 'unixepoch') AS finished_at
        FROM jobs;

        CREATE VIEW operation_list AS
        SELECT o.job || '/' || o.first AS operation, o.last - o.first + 1 AS count, e.name,
            json_extract(j.queue_names, '$[' || e.queue || ']') AS queue, e.priority, o.state, o.outcome,
            o.is_cancelled, o.reason, o.message, o.exit_status, o.signal, o.attempt, o.losses,
            (o.token >> 40 & 16777215) || '.' || (o.token & 1099511627775) AS token, o.worker,
            strftime('%Y-%m-%dT%H:%M:%fZ', o.ready_at / 1e6, 'unixepoch') AS ready_at,
            strftime('%Y-%m-%dT%H:%M:%fZ', o.started_at / 1e6, 'unixepoch') AS started_at,
            strftime('%Y-%m-%dT%H:%M:%fZ', o.finished_at / 1e6, 'unixepoch') AS finished_at
        FROM operations o
        JOIN entries e ON e.job = o.job
            AND e.first = (SELECT max(first) FROM entries WHERE job = o.job AND first <= o.first)
        JOIN jobs j ON j.job = o.job;
        """

    /// Version 2: suspension, holds, barriers, changed priorities and dependencies, completion hooks, progress, events.
    static let version2 = """
        -- total NULL: the queue reports no progress; completed: how many operations ran to their end since it got a total.
        ALTER TABLE queues ADD COLUMN is_suspended INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE queues ADD COLUMN total INTEGER;
        ALTER TABLE queues ADD COLUMN completed INTEGER NOT NULL DEFAULT 0;

        -- first_order: the number of the first operation in the order of additions; NULL: of before version 2.
        ALTER TABLE jobs ADD COLUMN first_order INTEGER;

        -- on_finish: a JSON array, the program that is run once an operation is finished, with its arguments.
        ALTER TABLE templates ADD COLUMN on_finish TEXT;

        ALTER TABLE entries ADD COLUMN is_held INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE entries ADD COLUMN is_barrier INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE entries ADD COLUMN is_cancelled INTEGER NOT NULL DEFAULT 0;

        -- numbers: a JSON array, of those arrays ('picked') whose elements have numbers of their own.
        ALTER TABLE array_items ADD COLUMN numbers TEXT;

        -- level, level_order: the level that was given after the submission, and the first one's number in the order of such.
        ALTER TABLE operations ADD COLUMN is_held INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE operations ADD COLUMN level INTEGER;
        ALTER TABLE operations ADD COLUMN level_order INTEGER;

        -- The dependencies of operations whose dependencies were changed after the submission, in the form of the entries'.
        CREATE TABLE operation_dependencies (
            job INTEGER NOT NULL,
            operation INTEGER NOT NULL,
            dependencies TEXT NOT NULL,
            PRIMARY KEY (job, operation)
        ) STRICT, WITHOUT ROWID;

        -- Completion hooks that are still to be run, oldest first. worker: that of the last attempt.
        CREATE TABLE hooks (
            number INTEGER PRIMARY KEY,
            job INTEGER NOT NULL,
            operation INTEGER NOT NULL,
            attempt INTEGER NOT NULL,
            outcome TEXT NOT NULL,
            worker TEXT
        ) STRICT;
        CREATE UNIQUE INDEX hooks_by_operation ON hooks (job, operation);

        -- What happened, some events a row, numbered from `first` to `last`; "baton watch --since 0" shows them.
        -- total: how many events there were up to here; one that is about many operations has many numbers.
        CREATE TABLE events (
            last INTEGER PRIMARY KEY,
            first INTEGER NOT NULL,
            total INTEGER NOT NULL,
            data BLOB NOT NULL
        ) STRICT;
        CREATE INDEX events_by_total ON events (total);

        DROP VIEW operation_list;
        CREATE VIEW operation_list AS
        SELECT o.job || '/' || o.first AS operation, o.last - o.first + 1 AS count, e.name,
            json_extract(j.queue_names, '$[' || e.queue || ']') AS queue, coalesce(o.level, e.priority) AS priority,
            o.state, o.outcome, o.is_cancelled, o.is_held, o.reason, o.message, o.exit_status, o.signal, o.attempt, o.losses,
            (o.token >> 40 & 16777215) || '.' || (o.token & 1099511627775) AS token, o.worker,
            strftime('%Y-%m-%dT%H:%M:%fZ', o.ready_at / 1e6, 'unixepoch') AS ready_at,
            strftime('%Y-%m-%dT%H:%M:%fZ', o.started_at / 1e6, 'unixepoch') AS started_at,
            strftime('%Y-%m-%dT%H:%M:%fZ', o.finished_at / 1e6, 'unixepoch') AS finished_at
        FROM operations o
        JOIN entries e ON e.job = o.job
            AND e.first = (SELECT max(first) FROM entries WHERE job = o.job AND first <= o.first)
        JOIN jobs j ON j.job = o.job;
        """

    /// Version 3: the workers that a restarted coordinator waits for, and operations that run at most once.
    static let version3 = """
        -- The workers that have a session, and may hold attempts that are not in the table operations yet.
        CREATE TABLE workers (
            name TEXT PRIMARY KEY
        ) STRICT, WITHOUT ROWID;

        -- Who they were is not known of before. No worker has an empty name: for this one a coordinator waits in vain, for the
        -- whole of its reconcile window, and then forgets it.
        INSERT INTO workers SELECT '' WHERE EXISTS (SELECT 1 FROM jobs);

        -- restart: 'onLoss', or 'never' for what runs at most once.
        ALTER TABLE templates ADD COLUMN restart TEXT NOT NULL DEFAULT 'onLoss';
        """

    /// Version 4: finished jobs are removed some time later.
    static let version4 = """
        -- newest_removed_job: the highest number of a removed job, which no other gets.
        -- removed_operations: how many of those that the finished_* count are not kept any more.
        INSERT INTO meta VALUES ('newest_removed_job', 0), ('removed_operations', 0);
        CREATE INDEX finished_jobs ON jobs (finished_at) WHERE finished_at IS NOT NULL;

        -- Jobs that are gone from the table jobs, and have rows in other tables that are still to go.
        CREATE TABLE removed_jobs (
            job INTEGER PRIMARY KEY
        ) STRICT;
        """

    /// Version 5: programs added after the submission.
    static let version5 = """
        -- The programs of operations to which some were added after the submission, in the form of the templates'.
        CREATE TABLE operation_commands (
            job INTEGER NOT NULL,
            operation INTEGER NOT NULL,
            commands TEXT NOT NULL,
            PRIMARY KEY (job, operation)
        ) STRICT, WITHOUT ROWID;
        """

    /// Version 6: Swift operations.
    static let version6 = """
        -- type: the name by which workers know a Swift operation; NULL: commands, or nothing to do.
        -- argument: what it is called with, a text where it is one.
        ALTER TABLE templates ADD COLUMN type TEXT;
        ALTER TABLE templates ADD COLUMN argument ANY;
        """

    /// Version 7: names apart from the entries.
    static let version7 = """
        -- The entries by name. A table and no index, which a large job would fill in the order of its entries, here and there;
        -- this one gets its rows in their order.
        CREATE TABLE entry_names (
            job INTEGER NOT NULL,
            name TEXT NOT NULL,
            first INTEGER NOT NULL,
            PRIMARY KEY (job, name)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO entry_names SELECT job, name, first FROM entries WHERE name IS NOT NULL ORDER BY job, name;
        DROP INDEX entries_by_name;
        """

    /// Version 8: the reasons for skips, the outcomes of jobs, retries, and the digests of submissions with keys.
    ///
    /// Earlier skips are classified as far as their messages allow.
    static let version8 = """
        -- root: what a skipped operation was skipped for, 'failed 12/0' or 'cancelled 12/0'; NULL: it was not needed (its reason
        -- says so), or was skipped before version 8.
        ALTER TABLE operations ADD COLUMN root TEXT;
        UPDATE operations SET reason = 'notNeeded'
            WHERE outcome = 'skipped' AND message LIKE 'It runs only on the failure of %, which succeeded.';

        -- not_needed, skipped_after_failure: how many of the skipped ones were not needed, or have a root that failed.
        -- root: the operation that made the job fail or be cancelled, '12/0'. retry_of: the job that it is a retry of.
        -- key_digest: of what was submitted with the key; NULL: not known, and nothing is compared with it.
        ALTER TABLE jobs ADD COLUMN not_needed INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE jobs ADD COLUMN skipped_after_failure INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE jobs ADD COLUMN root TEXT;
        ALTER TABLE jobs ADD COLUMN retry_of INTEGER;
        ALTER TABLE jobs ADD COLUMN key_digest INTEGER;
        CREATE INDEX jobs_by_retry ON jobs (retry_of) WHERE retry_of IS NOT NULL;
        UPDATE jobs SET not_needed = (
                SELECT coalesce(sum(last - first + 1), 0) FROM operations
                WHERE operations.job = jobs.job AND reason = 'notNeeded'
            ) WHERE skipped > 0;
        UPDATE jobs SET skipped_after_failure = skipped - not_needed
            WHERE skipped > not_needed AND failed + cancelled = 0;
        UPDATE jobs SET root = (
                SELECT job || '/' || first FROM operations WHERE operations.job = jobs.job AND outcome IN ('failed', 'cancelled')
                ORDER BY outcome = 'cancelled', first LIMIT 1
            ) WHERE failed + cancelled > 0;
        INSERT INTO meta VALUES ('finished_not_needed', 0), ('finished_skipped_after_failure', 0);
        UPDATE meta SET value = (SELECT coalesce(sum(not_needed), 0) FROM jobs WHERE finished_at IS NOT NULL)
            WHERE key = 'finished_not_needed';
        UPDATE meta SET value = (SELECT coalesce(sum(skipped_after_failure), 0) FROM jobs WHERE finished_at IS NOT NULL)
            WHERE key = 'finished_skipped_after_failure';

        DROP VIEW job_list;
        CREATE VIEW job_list AS
        SELECT job, name, key, queue, operations,
            iif(finished_at IS NULL, 'unfinished', 'finished') AS state,
            CASE WHEN finished_at IS NULL THEN NULL WHEN failed + cancelled + skipped = not_needed THEN 'succeeded'
                WHEN failed + skipped_after_failure > 0 THEN 'failed' ELSE 'cancelled' END AS outcome,
            succeeded, failed, cancelled, skipped, iif(finished_at IS NULL, NULL, not_needed) AS not_needed, retry_of,
            strftime('%Y-%m-%dT%H:%M:%fZ', submitted_at / 1e6, 'unixepoch') AS submitted_at,
            strftime('%Y-%m-%dT%H:%M:%fZ', finished_at / 1e6, 'unixepoch') AS finished_at
        FROM jobs;

        DROP VIEW operation_list;
        CREATE VIEW operation_list AS
        SELECT o.job || '/' || o.first AS operation, o.last - o.first + 1 AS count, e.name,
            json_extract(j.queue_names, '$[' || e.queue || ']') AS queue, coalesce(o.level, e.priority) AS priority,
            o.state, o.outcome, o.is_cancelled, o.is_held, o.reason, o.message, o.root, o.exit_status, o.signal, o.attempt,
            o.losses, (o.token >> 40 & 16777215) || '.' || (o.token & 1099511627775) AS token, o.worker,
            strftime('%Y-%m-%dT%H:%M:%fZ', o.ready_at / 1e6, 'unixepoch') AS ready_at,
            strftime('%Y-%m-%dT%H:%M:%fZ', o.started_at / 1e6, 'unixepoch') AS started_at,
            strftime('%Y-%m-%dT%H:%M:%fZ', o.finished_at / 1e6, 'unixepoch') AS finished_at
        FROM operations o
        JOIN entries e ON e.job = o.job
            AND e.first = (SELECT max(first) FROM entries WHERE job = o.job AND first <= o.first)
        JOIN jobs j ON j.job = o.job;
        """

    /// Version 9: a clock that users cannot set, and a mark while the record is open.
    static let version9 = """
        -- clock: the record's own clock: the time of day when the record was made, and from then on the time that a coordinator
        -- had it open; 0: it has not begun. By this clock are not_before, jobs.submitted_clock and jobs.finished_clock.
        -- is_open: 1 from the start of a coordinator until it ends in order.
        INSERT INTO meta SELECT 'clock', coalesce(max(max(submitted_at, coalesce(finished_at, 0))), 0) FROM jobs;
        INSERT INTO meta VALUES ('is_open', 0);
        ALTER TABLE jobs ADD COLUMN submitted_clock INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE jobs ADD COLUMN finished_clock INTEGER;
        UPDATE jobs SET submitted_clock = submitted_at, finished_clock = finished_at;
        DROP INDEX finished_jobs;
        CREATE INDEX finished_jobs ON jobs (finished_clock) WHERE finished_clock IS NOT NULL;
        """

    /// Version 10: attempts whose numbers skip.
    static let version10 = """
        -- failures: how many attempts failed and were made up for. Until now, that was all that was not lost or the last one.
        ALTER TABLE operations ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
        UPDATE operations SET failures = max(0, attempt - losses - (state IN ('executing', 'finished')))
        WHERE attempt > losses;

        -- may_miss_attempts: first attempts may have been made of those operations that have none in the record, because a
        -- worker that was there before a restart did not come back in time. Their numbers begin with 2.
        ALTER TABLE jobs ADD COLUMN may_miss_attempts INTEGER NOT NULL DEFAULT 0;

        -- life: the life of the worker's process; another one knows nothing of what this one held. 0: of before version 10.
        ALTER TABLE workers ADD COLUMN life INTEGER NOT NULL DEFAULT 0;
        """

    /// Version 11: the identities of coordinators and workers.
    static let version11 = """
        -- The random numbers that the coordinator drew at its starts; with them, attempts of this record are told from those of
        -- others and of later states of this one, an older copy of which may have been put back.
        -- first_job: the number that the next job had. The starts before know of none from there on.
        CREATE TABLE starts (
            epoch INTEGER PRIMARY KEY,
            incarnation INTEGER NOT NULL,
            first_job INTEGER NOT NULL
        ) STRICT;

        -- id: the number in the worker's directory; 0: not known.
        ALTER TABLE workers ADD COLUMN id INTEGER NOT NULL DEFAULT 0;
        """

    /// Version 12: the options of operations in one column.
    static let version12 = """
        -- settings: the options that differ from their defaults, a JSON object with the keys of graph files; NULL: none.
        -- Durations are texts ('1m30s') or whole microseconds, flags are 0 or 1. A key that ends with ? may be skipped by a
        -- version of Baton that does not know the option.
        DROP VIEW operation_list;
        CREATE TABLE new_templates (
            job INTEGER NOT NULL,
            template INTEGER NOT NULL,
            commands TEXT,
            type TEXT,
            argument ANY,
            settings TEXT,
            PRIMARY KEY (job, template)
        ) STRICT, WITHOUT ROWID;
        -- json_patch() leaves out what is NULL.
        INSERT INTO new_templates SELECT job, template, commands, type, argument, json_patch('{}', json_object(
                'env', json(environment), 'cwd', directory, 'stdin', standard_input, 'timeout', timeout_us,
                'grace', iif(grace_us IS NULL, 'forever', nullif(grace_us, 5000000)), 'retries', nullif(retries, 0),
                'retryDelay', nullif(retry_delay_us, 1000000), 'restart', nullif(restart, 'onLoss'),
                'qos', quality_of_service, 'onFinish', json(on_finish)))
            FROM templates;
        UPDATE new_templates SET settings = json_remove(settings, '$.env') WHERE json_extract(settings, '$.env') = '{}';
        UPDATE new_templates SET settings = NULL WHERE settings = '{}';
        DROP TABLE templates;
        ALTER TABLE new_templates RENAME TO templates;

        CREATE TABLE new_entries (
            job INTEGER NOT NULL,
            first INTEGER NOT NULL,
            count INTEGER NOT NULL,
            name TEXT,
            template INTEGER NOT NULL,
            queue INTEGER NOT NULL,
            settings TEXT,
            is_cancelled INTEGER NOT NULL,
            dependencies TEXT NOT NULL,
            array TEXT,
            array_first INTEGER,
            array_step INTEGER,
            PRIMARY KEY (job, first)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO new_entries SELECT job, first, count, name, template, queue,
                iif(priority = 0 AND delay_us IS NULL AND is_held = 0 AND is_barrier = 0, NULL, json_patch('{}', json_object(
                    'priority', nullif(priority, 0), 'delay', delay_us, 'hold', nullif(is_held, 0),
                    'barrier', nullif(is_barrier, 0)))),
                is_cancelled, dependencies, array, array_first, array_step
            FROM entries;
        DROP TABLE entries;
        ALTER TABLE new_entries RENAME TO entries;

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
        """

    /// Version 13: the earlier attempts of operations.
    static let version13 = """
        -- The attempts that ended before their operation, the last 20 of each operation; the attempt that ended the operation is
        -- part of its row in the table operations. Attempts that ended before version 13 are not known.
        -- started_at: NULL: the attempt was lost before its worker reported a start.
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
            PRIMARY KEY (job, operation, attempt)
        ) STRICT, WITHOUT ROWID;

        CREATE VIEW attempt_list AS
        SELECT job || '/' || operation AS operation, attempt, worker, reason, message, exit_status, signal,
            strftime('%Y-%m-%dT%H:%M:%fZ', started_at / 1e6, 'unixepoch') AS started_at,
            strftime('%Y-%m-%dT%H:%M:%fZ', ended_at / 1e6, 'unixepoch') AS ended_at
        FROM attempts;
        """
}
