extension Statements {
    /// Jobs, what was added to them, and their tags.
    struct Jobs {
        let insertJob = Statement(inserting: NewJobColumn.self, into: "jobs")
        /// Notes the end of a job that has none;
        /// on a server, also in the counts of all ended jobs, so that nobody has to ask whether the job had one.
        let finishJob = Statement(
            writing: JobEndColumn.self,
            """
            UPDATE jobs SET \(JobEndColumn.assignments(except: .job)) WHERE job = :job AND finished_at IS NULL
            """,
            server: """
                WITH ended AS (
                    UPDATE jobs SET \(JobEndColumn.assignments(except: .job)) WHERE job = :job AND finished_at IS NULL
                    RETURNING succeeded, failed, cancelled, skipped, not_needed, skipped_after_failure
                )
                UPDATE meta SET value = meta.value + ends.amount
                FROM ended CROSS JOIN LATERAL (VALUES
                    ('finished_succeeded', ended.succeeded), ('finished_failed', ended.failed),
                    ('finished_cancelled', ended.cancelled), ('finished_skipped', ended.skipped),
                    ('finished_not_needed', ended.not_needed), ('finished_skipped_after_failure', ended.skipped_after_failure)
                ) AS ends (key, amount)
                WHERE meta.key = ends.key AND ends.amount > 0
                """
        )
        let job = Statement(reading: JobSummaryColumn.self, "FROM jobs WHERE job = :job")
        let jobWithKey = Statement(reading: JobSummaryColumn.self, "FROM jobs WHERE key = :key")
        let jobsBelow = Statement(
            reading: JobSummaryColumn.self,
            "FROM jobs WHERE job < :end ORDER BY job DESC LIMIT :limit"
        )
        /// The number of jobs below a number; each part is counted in an index, which is shorter than the table.
        let jobCount = Statement(
            """
            SELECT (SELECT count(*) FROM jobs INDEXED BY finished_jobs WHERE finished_clock IS NOT NULL AND job < :end)
                + (SELECT count(*) FROM jobs INDEXED BY unfinished_jobs WHERE finished_at IS NULL AND job < :end)
            """
        )
        let newestJob = Statement("SELECT max(job) FROM jobs")
        let unfinishedJobs = Statement(
            "SELECT job FROM jobs INDEXED BY unfinished_jobs WHERE finished_at IS NULL ORDER BY job"
        )
        let submission = Statement(reading: SubmissionColumn.self, "FROM jobs WHERE job = :job")
        let endedJob = Statement(
            """
            SELECT EXISTS (
                SELECT 1 FROM operations INDEXED BY operations_with_results WHERE job = :job AND has_result = 1
            ), EXISTS (
                SELECT 1 FROM files WHERE job = :job
            ) FROM jobs WHERE job = :job AND finished_at IS NOT NULL
            """
        )
        let retries = Statement("SELECT job FROM jobs INDEXED BY jobs_by_retry WHERE retry_of = :job ORDER BY job")

        let jobExists = Statement("SELECT 1 FROM jobs WHERE job = :job")
        let insertAddition = Statement(inserting: AdditionColumn.self, into: "additions")
        /// The additions of a job, from an index on.
        let additionsFrom = Statement(
            reading: AdditionColumn.self,
            "FROM additions WHERE job = :job AND first >= :from ORDER BY first"
        )
        /// The rows of a removed job go later than the job.
        let jobOfAddition = Statement(
            "SELECT job FROM additions WHERE key = :key AND EXISTS (SELECT 1 FROM jobs WHERE jobs.job = additions.job) LIMIT 1"
        )
        let additionWithKey = Statement(reading: AdditionColumn.self, "FROM additions WHERE job = :job AND key = :key")
        /// When the addition with an operation came in, or the last one before.
        let additionTime = Statement(
            "SELECT added_at FROM additions WHERE job = :job AND first <= :operation ORDER BY first DESC LIMIT 1"
        )
        /// Add to a job's operations, and set its queues.
        let extendJob = Statement(
            "UPDATE jobs SET operations = operations + :count, queue_names = :queues WHERE job = :job"
        )
        /// Set the queue of a job that has no operations yet.
        let setJobQueue = Statement("UPDATE jobs SET queue = :name WHERE job = :job")
        let jobShape = Statement(
            """
            SELECT operations, queue_names, (SELECT coalesce(max(template), -1) + 1 FROM templates WHERE job = :job)
            FROM jobs WHERE job = :job
            """
        )
        let closeJob = Statement("UPDATE jobs SET is_open = 0 WHERE job = :job")
        let insertTag = Statement(inserting: TagColumn.self, into: "job_tags")
        /// The newest job with a tag, below a number.
        let jobTagged = Statement(
            """
            SELECT job FROM job_tags INDEXED BY jobs_by_tag WHERE tag = :tag AND value = :value AND job < :end
            ORDER BY job DESC LIMIT 1
            """
        )
        let jobsFinishedSince = Statement("SELECT job FROM jobs WHERE finished_clock >= :since")
        let noteMissingAttempts = Statement("UPDATE jobs SET may_miss_attempts = 1 WHERE job = :job")
    }
}
