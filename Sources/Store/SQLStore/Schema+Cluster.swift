extension Schema {
    /// The tables of the record itself, and of queues, workers and limits.
    static let clusterTables = """
        -- epoch: how often a coordinator started.
        -- clock: the record's own clock, which users cannot set: the time of day when the record was made, and from then on the time that
        --   a coordinator had it open; 0: it has not begun. By it are not_before, submitted_clock, finished_clock and added_clock.
        -- is_open: 1 from the start of a coordinator until it ends in order.
        -- finished_*: how the operations of finished jobs ended; of the skipped ones, some were not needed, or have a root that failed.
        -- removed_operations: how many of those that the finished_* count are not kept any more.
        -- newest_removed_job: the highest number of a removed job, which no other gets.
        -- identity: a random number, drawn when the record was made, which its tally (baton.db-tally) has, too.
        -- first_ordered_job: the first job whose releases and other changes were always on disk before what they let start was sent.
        -- moved, moved to *: the record was moved to another place, and no coordinator goes on with it.
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
        """

    /// Draws the random number by which a record is known.
    static let insertIdentity = """
        INSERT INTO meta (key, value) VALUES ('identity', \(RecordIdentity.drawn));
        """

    /// The table of operations that stand still, since version 6.
    static let pauses = """
        CREATE TABLE pauses (
            job INTEGER NOT NULL,
            operation INTEGER NOT NULL,
            requested_by TEXT,
            since INTEGER NOT NULL,
            PRIMARY KEY (job, operation)
        ) STRICT, WITHOUT ROWID;
        """

    /// The table of the limits that queues share, since version 6.
    static let sharedLimits = """
        -- The limits that several queues share: at most so many units are taken by operations at workers, in the whole cluster.
        CREATE TABLE shared_limits (
            name TEXT PRIMARY KEY,
            units INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """
}
