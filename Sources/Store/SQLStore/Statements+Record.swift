extension Statements {
    /// What the record tells of itself: its clock, its starts, and the shown times of what is not finished.
    struct Record {
        /// On a server, the epoch is at least that of its leader, which the same transaction has raised, or the one before.
        let raiseEpoch = Statement(
            "UPDATE meta SET value = value + :step WHERE key = 'epoch'",
            server: "UPDATE meta SET value = greatest(value + :step, (SELECT epoch FROM leader)) WHERE key = 'epoch'"
        )
        /// Marks the record as open.
        let mark = Statement("UPDATE meta SET value = 1 WHERE key = 'is_open' AND value <> 1")
        /// Marks the record as closed.
        let unmark = Statement("UPDATE meta SET value = 0 WHERE key = 'is_open'")
        /// Writes the clock, and counts a commit with it, for less than two changes of rows would take.
        let writeClock = Statement("UPDATE meta SET value = :clock, commits = commits + 1 WHERE key = 'clock'")
        let countCommit = Statement("UPDATE meta SET commits = commits + 1 WHERE key = 'clock'")
        let raiseCommits = Statement("UPDATE meta SET commits = max(commits, :count) WHERE key = 'clock'")
        let raiseMeta = Statement("UPDATE meta SET value = max(value, :count) WHERE key = :key")
        let meta = Statement("SELECT value FROM meta WHERE key = :key")
        let addToMeta = Statement("UPDATE meta SET value = value + :count WHERE key = :key")
        /// Move the shown times of what is not finished, those in a range.
        let moveTimes = [
            Statement(
                """
                UPDATE jobs SET submitted_at = max(submitted_at + :step, :floor)
                WHERE finished_at IS NULL AND submitted_at BETWEEN :from AND :last
                """
            ),
            Statement(
                """
                UPDATE additions SET added_at = max(added_at + :step, :floor)
                WHERE added_at BETWEEN :from AND :last
                    AND job IN (SELECT job FROM jobs INDEXED BY unfinished_jobs WHERE finished_at IS NULL)
                """
            ),
            Statement(
                """
                UPDATE operations SET ready_at = iif(ready_at BETWEEN :from AND :last, max(ready_at + :step, :floor), ready_at),
                    started_at = iif(started_at BETWEEN :from AND :last, max(started_at + :step, :floor), started_at)
                WHERE finished_at IS NULL AND job IN (SELECT job FROM jobs INDEXED BY unfinished_jobs WHERE finished_at IS NULL)
                """
            ),
            Statement("UPDATE drains SET since = max(since + :step, :floor) WHERE since BETWEEN :from AND :last"),
            Statement("UPDATE pauses SET since = max(since + :step, :floor) WHERE since BETWEEN :from AND :last"),
        ]
        /// The newest of these times until a moment.
        let newestTimes = [
            Statement(
                """
                SELECT max(submitted_at) FROM jobs INDEXED BY unfinished_jobs
                WHERE finished_at IS NULL AND submitted_at <= :until
                """
            ),
            Statement(
                """
                SELECT max(added_at) FROM additions WHERE added_at <= :until
                    AND job IN (SELECT job FROM jobs INDEXED BY unfinished_jobs WHERE finished_at IS NULL)
                """
            ),
            Statement(
                """
                SELECT max(max(iif(ready_at <= :until, ready_at, 0), iif(started_at <= :until, started_at, 0))) FROM operations
                WHERE finished_at IS NULL AND job IN (SELECT job FROM jobs INDEXED BY unfinished_jobs WHERE finished_at IS NULL)
                """
            ),
            Statement("SELECT max(since) FROM drains WHERE since <= :until"),
            Statement("SELECT max(since) FROM pauses WHERE since <= :until"),
        ]
        /// How far the time of day was ahead of the record's clock, as far as the unfinished jobs tell.
        let greatestClockOffset = Statement(
            """
            SELECT max(submitted_at - submitted_clock) FROM jobs INDEXED BY unfinished_jobs
            WHERE finished_at IS NULL AND submitted_clock > 0
            """
        )
        let writeStart = Statement(replacing: StartColumn.self, in: "starts")
        let starts = Statement(reading: StartColumn.self, "FROM starts")
    }
}
