extension Schema {
    /// The tables of jobs, and of what was submitted.
    static let jobTables = """
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
        """

    /// The index of the jobs that keep files after their end, since version 7.
    static let jobsKeepingFiles = """
        CREATE INDEX jobs_keeping_files ON jobs (job) WHERE instr(settings, '"keepFiles"') > 0;
        """
}
