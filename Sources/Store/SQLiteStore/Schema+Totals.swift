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

    /// Version 23: the choice of the queues with totals of their own.
    ///
    /// Earlier versions had totals for each queue, but not after its deletion.
    static let version23 = """
        -- From here on, the first 100 queues have a row in queue_totals from their creation on, and keep it after their deletion,
        -- until a later queue takes over the place. All other queues count together, also after their deletion.
        ALTER TABLE totals ADD COLUMN others_succeeded INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE totals ADD COLUMN others_failed INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE totals ADD COLUMN others_cancelled INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE totals ADD COLUMN others_skipped INTEGER NOT NULL DEFAULT 0;

        -- The order in which the queues were made is unknown. The name 'other' stands for the sum.
        CREATE TEMPORARY TABLE labelled AS SELECT name FROM queues WHERE name <> 'other' ORDER BY name LIMIT 100;
        UPDATE totals SET
            (others_succeeded, others_failed, others_cancelled, others_skipped) = (
                SELECT coalesce(sum(succeeded), 0), coalesce(sum(failed), 0), coalesce(sum(cancelled), 0),
                    coalesce(sum(skipped), 0)
                FROM queue_totals WHERE name NOT IN (SELECT name FROM labelled)
            );
        DELETE FROM queue_totals WHERE name NOT IN (SELECT name FROM labelled);
        INSERT OR IGNORE INTO queue_totals SELECT name, 0, 0, 0, 0 FROM labelled;
        DROP TABLE labelled;
        """
}
