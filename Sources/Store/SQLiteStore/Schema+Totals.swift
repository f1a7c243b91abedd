/// The version of the tables that knows what has happened in the life of the record.
extension Schema {
    /// Version 22: totals of attempts, jobs and queues.
    static let version22 = """
        -- How many attempts have started and ended since the record was made, and how many jobs have finished by outcome: one row,
        -- or none before the first end. What was before version 22 does not count.
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
            jobs_cancelled INTEGER NOT NULL
        ) STRICT;

        -- How many operations of a queue have ended by outcome since the queue was made; a queue without an end has no row.
        CREATE TABLE queue_totals (
            name TEXT PRIMARY KEY,
            succeeded INTEGER NOT NULL,
            failed INTEGER NOT NULL,
            cancelled INTEGER NOT NULL,
            skipped INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """
}
