extension Schema {
    /// The tables of events, actions, totals and schedules.
    static let historyTables = """
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
        """

    /// The table of schedules, since version 6.
    static let schedules = """
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
}
