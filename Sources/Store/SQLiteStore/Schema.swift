/// The tables of the record, and the steps to them from the tables of earlier versions.
///
/// People can read the tables too: states and outcomes are words, and the views give times as dates. In the tables, times are
/// microseconds since 1970 in UTC and durations (`_us`) are microseconds.
struct Schema: Sendable {
    /// The version of the tables (`PRAGMA user_version`).
    var version: Int
    /// The statements that make the tables of the version in an empty database.
    var tables: String
    /// The steps from the oldest version that is migrated, one a version, in order.
    var migrations: [Migration]

    /// The first version whose records count their commits.
    static let firstVersionWithTally = 4

    /// The oldest version that is migrated.
    var oldestVersion: Int { version - migrations.count }

    /// The tables of this build.
    ///
    /// Version 1 is that of Baton 0.1.0. A change of the tables is made here for new records, raises the version, and appends a
    /// migration for present records.
    static let current = Schema(
        version: 7,
        tables: currentTables,
        migrations: [
            Migration(
                sql: """
                    ALTER TABLE jobs ADD COLUMN was_cancelled INTEGER NOT NULL DEFAULT 0;
                    DROP VIEW job_list;
                    \(jobList)
                    """
            ),
            // Versions 1 and 2 sent operations before their release was on disk.
            Migration(
                sql: """
                    INSERT INTO meta (key, value) SELECT 'first_ordered_job', 1 + max(value, (SELECT coalesce(max(job), 0) FROM jobs))
                        FROM meta WHERE key = 'newest_removed_job';
                    ALTER TABLE hooks ADD COLUMN is_cancelled INTEGER NOT NULL DEFAULT 0;
                    \(hookEnds)
                    DROP INDEX additions_by_key;
                    CREATE UNIQUE INDEX additions_by_key ON additions (key, job) WHERE key IS NOT NULL;
                    """
            ),
            // Without a tally yet, a record that is marked as open would be refused, if the coordinator ends before it makes one.
            Migration(
                sql: """
                    ALTER TABLE meta ADD COLUMN commits INTEGER NOT NULL DEFAULT 0;
                    UPDATE meta SET value = 0 WHERE key = 'is_open';
                    """
            ),
            Migration(sql: "ALTER TABLE attempts ADD COLUMN token INTEGER; \(insertIdentity)"),
            Migration(
                sql: """
                    ALTER TABLE attempts ADD COLUMN memory INTEGER;
                    ALTER TABLE attempts ADD COLUMN timeout_us INTEGER;
                    \(pauses)
                    ALTER TABLE queues ADD COLUMN rate TEXT;
                    \(schedules)
                    \(sharedLimits)
                    """
            ),
            Migration(
                sql: """
                    ALTER TABLE operations ADD COLUMN has_files INTEGER NOT NULL DEFAULT 0;
                    \(files)
                    \(fetches)
                    \(jobsKeepingFiles)
                    \(fileList)
                    """
            ),
        ]
    )

    private static let insertIdentity = """
        INSERT INTO meta (key, value) VALUES ('identity', \(RecordIdentity.drawn));
        """

    private static let jobList = """
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

    private static let hookEnds = """
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

    private static let pauses = """
        CREATE TABLE pauses (
            job INTEGER NOT NULL,
            operation INTEGER NOT NULL,
            requested_by TEXT,
            since INTEGER NOT NULL,
            PRIMARY KEY (job, operation)
        ) STRICT, WITHOUT ROWID;
        """

    private static let schedules = """
        CREATE TABLE schedules (
            name TEXT PRIMARY KEY,
            cron TEXT NOT NULL,
            time_zone TEXT NOT NULL,
            overlap TEXT NOT NULL,
            catch_up TEXT NOT NULL,
            added_at INTEGER NOT NULL,
            added_by TEXT,
            request BLOB NOT NULL,
            is_paused INTEGER NOT NULL DEFAULT 0,
            decided_until INTEGER NOT NULL,
            last_time INTEGER,
            last_job INTEGER,
            waiting TEXT,
            skipped_time INTEGER,
            skip_reason TEXT,
            skip_message TEXT
        ) STRICT, WITHOUT ROWID;
        """

    private static let sharedLimits = """
        -- The limits that several queues share: at most so many units are taken by operations at workers, in the whole cluster.
        CREATE TABLE shared_limits (
            name TEXT PRIMARY KEY,
            units INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    private static let files = """
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

    private static let fetches = """
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

    private static let jobsKeepingFiles = """
        CREATE INDEX jobs_keeping_files ON jobs (job) WHERE instr(settings, '"keepFiles"') > 0;
        """

    private static let fileList = """
        CREATE VIEW file_list AS
        SELECT job || '/' || operation AS operation, path, size, printf('%04o', mode) AS mode, lower(hex(digest)) AS digest, attempt
        FROM files;
        """

    private static let currentTables = """
        -- epoch: how often a coordinator started.
        -- clock: the record's own clock, which users cannot set: the time of day when the record was made, and from then on the time that
        --   a coordinator had it open; 0: it has not begun. By it are not_before, submitted_clock, finished_clock and added_clock.
        -- is_open: 1 from the start of a coordinator until it ends in order.
        -- finished_*: how the operations of finished jobs ended; of the skipped ones, some were not needed, or have a root that failed.
        -- removed_operations: how many of those that the finished_* count are not kept any more.
        -- newest_removed_job: the highest number of a removed job, which no other gets.
        -- identity: a random number, drawn when the record was made, which its tally (baton.db-tally) has, too.
        -- first_ordered_job: the first job whose releases and other changes were always on disk before what they let start was sent.
        -- commits: in the row clock, which each commit writes, how many commits there were; 0 in the others.
        CREATE TABLE meta (
            key TEXT PRIMARY KEY,
            value INTEGER NOT NULL,
            commits INTEGER NOT NULL DEFAULT 0
        ) STRICT, WITHOUT ROWID;
        INSERT INTO meta (key, value) VALUES
            ('epoch', 0), ('clock', 0), ('is_open', 0), ('finished_succeeded', 0), ('finished_failed', 0),
            ('finished_cancelled', 0), ('finished_skipped', 0), ('finished_not_needed', 0), ('finished_skipped_after_failure', 0),
            ('removed_operations', 0), ('newest_removed_job', 0),
            ('first_ordered_job', 1);
        \(insertIdentity)

        -- The random numbers that the coordinator drew at its starts; with them, attempts of this record are told from those of
        -- others and of later states of this one, an older copy of which may have been put back.
        -- first_job: the number that the next job had. The starts before know of none from there on.
        CREATE TABLE starts (
            epoch INTEGER PRIMARY KEY,
            incarnation INTEGER NOT NULL,
            first_job INTEGER NOT NULL
        ) STRICT;

        -- max_concurrent: NULL: no limit.
        -- rate: how many operations may start in a time, such as 10/s; NULL: no bound.
        -- total: NULL: the queue reports no progress; completed: how many operations ran to their end since it got a total.
        CREATE TABLE queues (
            name TEXT PRIMARY KEY,
            max_concurrent INTEGER,
            quality_of_service TEXT,
            is_suspended INTEGER NOT NULL DEFAULT 0,
            total INTEGER,
            completed INTEGER NOT NULL DEFAULT 0,
            rate TEXT
        ) STRICT, WITHOUT ROWID;

        -- The workers that have a session, and may hold attempts that are not in the table operations yet.
        -- life: the life of the worker's process; another one knows nothing of what this one held.
        -- id: the number in the worker's directory.
        -- key: the number of the key that the worker joined with; NULL: the coordinator had no keys.
        CREATE TABLE workers (
            name TEXT PRIMARY KEY,
            life INTEGER NOT NULL DEFAULT 0,
            id INTEGER NOT NULL DEFAULT 0,
            key INTEGER
        ) STRICT, WITHOUT ROWID;

        -- The workers that are to get nothing new, until somebody takes it back. id: the number in the worker's directory.
        -- name: that of the worker at the request. requested_by: the name of a key; NULL: nobody is known.
        CREATE TABLE drains (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL,
            requested_by TEXT,
            since INTEGER NOT NULL
        ) STRICT;

        -- The executing operations whose processes stand still, until somebody continues or cancels them, or their attempts end.
        -- requested_by: the name of a key; NULL: nobody is known.
        \(pauses)

        \(sharedLimits)

        -- queue: that of the first operation. operations: how many there are, with those that were added.
        -- succeeded, failed, cancelled, skipped: how the operations ended; NULL like finished_at: the job is not finished.
        -- queue_names, queue_changes: JSON arrays, as submitted.
        -- first_order: the number of the first operation in the order of additions.
        -- not_needed, skipped_after_failure: how many of the skipped ones were not needed, or have a root that failed.
        -- root: the operation that made the job fail or be cancelled, '12/0'.
        -- retry_of: the job that it is a retry of.
        -- key_digest: of what was submitted with the key.
        -- may_miss_attempts: first attempts may have been made of those operations that have none in the record, because a worker that
        --   was there before a restart did not come back in time. Their numbers begin with 2, unless they certainly were not sent.
        -- submitted_by: who asked for the job: the name of a key; NULL: nobody is known.
        -- settings: what the submission says about the job as a whole, a JSON object with the keys of graph files, such as maxFailures
        --   and hooks; NULL: nothing. Durations are whole microseconds.
        -- is_open: whether the job takes further operations.
        -- started_at: when the first attempt of a finished job was started; NULL: the job is not finished, or nothing has run.
        -- was_cancelled: 1 if the job ended by a cancellation that met none of its operations, before any had succeeded.
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
            queue_changes TEXT NOT NULL,
            first_order INTEGER,
            not_needed INTEGER NOT NULL DEFAULT 0,
            skipped_after_failure INTEGER NOT NULL DEFAULT 0,
            root TEXT,
            retry_of INTEGER,
            key_digest INTEGER,
            submitted_clock INTEGER NOT NULL DEFAULT 0,
            finished_clock INTEGER,
            may_miss_attempts INTEGER NOT NULL DEFAULT 0,
            submitted_by TEXT,
            settings TEXT,
            is_open INTEGER NOT NULL DEFAULT 0,
            started_at INTEGER,
            was_cancelled INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE UNIQUE INDEX jobs_by_key ON jobs (key) WHERE key IS NOT NULL;
        CREATE INDEX jobs_by_retry ON jobs (retry_of) WHERE retry_of IS NOT NULL;
        CREATE INDEX unfinished_jobs ON jobs (job) WHERE finished_at IS NULL;
        CREATE INDEX finished_jobs ON jobs (finished_clock) WHERE finished_clock IS NOT NULL;
        \(jobsKeepingFiles)

        -- The tags of jobs, which are also part of the settings of each job: this table finds the jobs.
        CREATE TABLE job_tags (
            job INTEGER NOT NULL,
            tag TEXT NOT NULL,
            value TEXT NOT NULL,
            PRIMARY KEY (job, tag)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX jobs_by_tag ON job_tags (tag, value, job);

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
        CREATE UNIQUE INDEX additions_by_key ON additions (key, job) WHERE key IS NOT NULL;

        -- Jobs that are gone from the table jobs, and have rows in other tables that are still to go.
        CREATE TABLE removed_jobs (
            job INTEGER PRIMARY KEY
        ) STRICT;

        -- What alike entries share.
        -- commands: a JSON array of programs with their arguments; NULL: a Swift operation, or nothing to do.
        -- type: the name by which workers know a Swift operation. argument: what it is called with, a text where it is one.
        -- settings: the options that differ from their defaults, a JSON object with the keys of graph files; NULL: none. Durations are
        --   texts ('1m30s') or whole microseconds, flags are 0 or 1. A key that ends with ? may be skipped by a version of Baton that
        --   does not know the option.
        CREATE TABLE templates (
            job INTEGER NOT NULL,
            template INTEGER NOT NULL,
            commands TEXT,
            type TEXT,
            argument ANY,
            settings TEXT,
            PRIMARY KEY (job, template)
        ) STRICT, WITHOUT ROWID;

        -- What was submitted: an operation, or an array of `count` of them from the index `first` on.
        -- queue: a position in the job's queue_names.
        -- settings: as in templates; the priority is a number from -8 to 8.
        -- dependencies: 'any /3, success 12/4, failure 7'; with '=', the element at the same position: 'success =/3, any =12/4-9'.
        -- array: NULL, 'numbers' (from array_first in steps of array_step), or 'lines' or 'picked' (in array_items).
        CREATE TABLE entries (
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

        -- The entries by name. A table and no index, which a large job would fill in the order of its entries, here and there;
        -- this one gets its rows in their order.
        CREATE TABLE entry_names (
            job INTEGER NOT NULL,
            name TEXT NOT NULL,
            first INTEGER NOT NULL,
            PRIMARY KEY (job, name)
        ) STRICT, WITHOUT ROWID;

        -- The lines of an array, some hundred a row, from a position in the array on: a JSON array.
        -- numbers: a JSON array, of those arrays ('picked') whose elements have numbers of their own.
        CREATE TABLE array_items (
            job INTEGER NOT NULL,
            first INTEGER NOT NULL,
            position INTEGER NOT NULL,
            items TEXT NOT NULL,
            numbers TEXT,
            PRIMARY KEY (job, first, position)
        ) STRICT;

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

        -- What happened, some events a row, numbered from `first` to `last`; "baton watch --since 0" shows them.
        -- total: how many events there were up to here; one that is about many operations has many numbers.
        CREATE TABLE events (
            last INTEGER PRIMARY KEY,
            first INTEGER NOT NULL,
            total INTEGER NOT NULL,
            data BLOB NOT NULL
        ) STRICT;
        CREATE INDEX events_by_total ON events (total);

        -- The changes that a known requester asked for, besides the submission of jobs, for people to read; kept as long as the
        -- events. event: the number of the first event. subject: an operation, neighbouring operations such as 12/3-7, or a queue.
        CREATE TABLE actions (
            event INTEGER PRIMARY KEY,
            time INTEGER NOT NULL,
            action TEXT NOT NULL,
            subject TEXT NOT NULL,
            requested_by TEXT NOT NULL
        ) STRICT;

        -- How many attempts have started and ended since the record was made, and how many jobs have finished by outcome: one row,
        -- or none before the first end. others_*: as in queue_totals, of all queues without a row there.
        CREATE TABLE totals (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            attempts_started INTEGER NOT NULL,
            attempts_succeeded INTEGER NOT NULL,
            attempts_failed INTEGER NOT NULL,
            attempts_cancelled INTEGER NOT NULL,
            attempts_lost INTEGER NOT NULL,
            attempts_given_back INTEGER NOT NULL,
            attempts_stopped INTEGER NOT NULL,
            jobs_succeeded INTEGER NOT NULL,
            jobs_failed INTEGER NOT NULL,
            jobs_cancelled INTEGER NOT NULL,
            others_succeeded INTEGER NOT NULL DEFAULT 0,
            others_failed INTEGER NOT NULL DEFAULT 0,
            others_cancelled INTEGER NOT NULL DEFAULT 0,
            others_skipped INTEGER NOT NULL DEFAULT 0
        ) STRICT;

        -- How many operations of a queue have ended by outcome since the queue was made. The first 100 queues have a row from their
        -- creation on, and keep it after their deletion, until a later queue takes over the place. The others count together in totals.
        CREATE TABLE queue_totals (
            name TEXT PRIMARY KEY,
            succeeded INTEGER NOT NULL,
            failed INTEGER NOT NULL,
            cancelled INTEGER NOT NULL,
            skipped INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- When which jobs start by themselves. All times are those of the host's clock.
        -- cron: the times, as in crontab(5), by the clocks of time_zone. overlap: what happens while the last job goes on.
        -- catch_up: which of missed times starts. request: the message of a client that submits the job.
        -- decided_until: later times are still to come. last_time, last_job: the last start; NULL before the first.
        -- waiting: the times whose starts wait for the end of last_job, a JSON array; NULL: none.
        -- skipped_time, skip_reason, skip_message: the last time at which nothing was started; NULL: there was none.
        \(schedules)

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
}
