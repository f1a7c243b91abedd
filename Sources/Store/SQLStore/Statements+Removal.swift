extension Statements {
    /// The removal of finished jobs.
    struct Removal {
        /// The finished jobs that may be removed; a pending hook needs its operation.
        let finishedJobs = Statement(
            """
            SELECT job, finished_clock, succeeded + failed + cancelled + skipped FROM jobs INDEXED BY finished_jobs
            WHERE finished_clock IS NOT NULL AND NOT EXISTS (SELECT 1 FROM hooks WHERE hooks.job = jobs.job)
            ORDER BY finished_clock, job
            """
        )
        let newestFinishedJob = Statement(
            """
            SELECT job FROM jobs INDEXED BY finished_jobs WHERE finished_clock IS NOT NULL
            ORDER BY finished_clock DESC, job DESC LIMIT 1
            """
        )
        let removedJobs = Statement("SELECT job FROM removed_jobs WHERE job > 0 ORDER BY job")
        let insertRemovedJob = Statement("INSERT INTO removed_jobs VALUES (:job)")
        let takeRemovedJob = Statement("DELETE FROM removed_jobs WHERE job = :job RETURNING job")
        let deleteRemovedJob = Statement("DELETE FROM removed_jobs WHERE job = :job")
        let noteRemovedJob = Statement("UPDATE meta SET value = max(value, :job) WHERE key = 'newest_removed_job'")
        let noteRemovedOperations = Statement(
            """
            UPDATE meta SET value = value + (SELECT succeeded + failed + cancelled + skipped FROM jobs WHERE job = :job)
            WHERE key = 'removed_operations'
            """
        )
        let deleteJob = Statement("DELETE FROM jobs WHERE job = :job RETURNING failed")
        let minutesOfFailures = Statement(
            """
            SELECT o.finished_at / 60000000 FROM failures f
            JOIN operations o ON o.job = f.job
                AND o.first = (SELECT max(first) FROM operations WHERE job = f.job AND first <= f.operation)
            WHERE f.job = :job
            """
        )
        /// Delete a bounded number of a job's rows, each statement in another table.
        let deleteRows = Removal.tablesOfJobs.map { table, key in
            Statement(
                """
                DELETE FROM \(table) WHERE job = :job AND \(key) IN (SELECT \(key) FROM \(table) WHERE job = :job LIMIT :limit)
                """,
                server: ServerStatements.deletionOfRows(of: table)
            )
        }

        /// The tables with rows of finished jobs, and the column that distinguishes the rows of one job.
        static let tablesOfJobs = [
            (table: "outputs", key: "rowid"), (table: "attempts", key: "operation"),
            (table: "usages", key: "operation"),
            (table: "files", key: "operation"), (table: "fetches", key: "operation"),
            (table: "operations", key: "first"), (table: "hook_ends", key: "operation"),
            (table: "operation_dependencies", key: "operation"), (table: "operation_commands", key: "operation"),
            (table: "failures", key: "operation"), (table: "failure_groups", key: "number"),
            (table: "job_tags", key: "tag"), (table: "additions", key: "first"),
            (table: "array_items", key: "rowid"), (table: "entry_names", key: "name"),
            (table: "entries", key: "first"), (table: "templates", key: "template"),
        ]
    }
}
