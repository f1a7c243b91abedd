@_spi(Baton) import BatonOperations

extension Statements {
    /// What attempts left and used: their streams, results and usages.
    struct Outputs {
        let writeOutput = Statement(replacing: OutputColumn.self, in: "outputs")
        /// Copies the result of an operation, found as by ``result``, to one that has not made any attempt.
        let copyResult = Statement(
            """
            INSERT OR REPLACE INTO outputs (job, operation, attempt, stdout_length, stdout, stderr_length, stderr, result)
            SELECT :job, :operation, 0, 0, x'', 0, x'', r.result
            FROM operations AS o JOIN outputs AS r ON r.job = o.job AND r.operation = o.first AND r.attempt <= o.attempt
            WHERE o.job = :from_job AND o.first = :from AND r.result IS NOT NULL
            ORDER BY r.attempt DESC LIMIT 1
            """,
            server: """
                INSERT INTO outputs (job, operation, attempt, stdout_length, stdout, stderr_length, stderr, result)
                SELECT :job, :operation, 0, 0, CAST('' AS bytea), 0, CAST('' AS bytea), r.result
                FROM operations AS o JOIN outputs AS r ON r.job = o.job AND r.operation = o.first AND r.attempt <= o.attempt
                WHERE o.job = :from_job AND o.first = :from AND r.result IS NOT NULL
                ORDER BY r.attempt DESC LIMIT 1
                ON CONFLICT (job, operation, attempt) DO UPDATE SET stdout_length = excluded.stdout_length,
                    stdout = excluded.stdout, stderr_length = excluded.stderr_length, stderr = excluded.stderr,
                    result = excluded.result
                """
        )
        let output = Statement(
            reading: OutputColumn.self,
            "FROM outputs WHERE job = :job AND operation = :operation AND attempt = :attempt"
        )
        let lastOutput = Statement(
            reading: OutputColumn.self,
            "FROM outputs WHERE job = :job AND operation = :operation ORDER BY attempt DESC LIMIT 1"
        )
        /// The outputs of operations in a range, without results, which may be large.
        let outputsFrom = Statement(
            """
            SELECT operation, attempt,
                stdout_length, iif(:wants_stdout = 1, stdout, NULL), stderr_length, iif(:wants_stderr = 1, stderr, NULL)
            FROM outputs AS o
            WHERE job = :job AND operation >= :from AND operation < :end AND (operation > :from OR attempt > :after_attempt)
                AND (:attempt IS NULL OR attempt = :attempt)
                AND (:is_last_only = 0 OR NOT EXISTS (
                    SELECT 1 FROM outputs WHERE job = :job AND operation = o.operation AND attempt > o.attempt
                        AND (:wants_stdout = 1 AND stdout_length > 0 OR :wants_stderr = 1 AND stderr_length > 0)))
                AND (:wants_stdout = 1 AND stdout_length > 0 OR :wants_stderr = 1 AND stderr_length > 0)
            ORDER BY job, operation, attempt
            """
        )
        /// The attempts that were lost with their workers and made again, and that have no row of output.
        ///
        /// An attempt without a reported start is left out, because no output of it is known.
        let lostOutputs = Statement(
            """
            SELECT operation, attempt FROM attempts AS a
            WHERE job = :job AND operation >= :from AND operation < :end
                AND reason = '\(Reason.Code.lost.rawValue)' AND was_stopped = 0 AND started_at IS NOT NULL
                AND NOT EXISTS (
                    SELECT 1 FROM outputs WHERE job = :job AND operation = a.operation AND attempt = a.attempt
                        AND (stdout_length > 0 OR stderr_length > 0))
            ORDER BY operation, attempt
            """
        )
        /// The last attempts of failed operations that were lost with their workers: of those that a stop of the worker ended, the usage
        /// is known, and the output, if there was any, has a row.
        let lostLastOutputs = Statement(
            Outputs.lostLastOutputs(joinedBy: "CROSS JOIN"),
            server: Outputs.lostLastOutputs(joinedBy: "JOIN")
        )
        /// The result of the last attempt up to one that left any: an attempt that only makes lost files again need not leave one.
        let result = Statement(
            """
            SELECT result FROM outputs
            WHERE job = :job AND operation = :operation AND attempt <= :attempt AND result IS NOT NULL
            ORDER BY attempt DESC LIMIT 1
            """
        )

        let writeUsage = Statement(replacing: UsageColumn.self, in: "usages")
        let usages = Statement(reading: UsageColumn.self, "FROM usages WHERE job = :job AND operation = :operation")
        /// The usage of a job.
        ///
        /// The column beside max() is that of the row with the maximum; total() cannot overflow.
        let usageOfJob = Statement(
            "SELECT count(*), CAST(total(processor_us) AS INTEGER), max(peak_memory), operation FROM usages WHERE job = :job",
            server: """
                SELECT count(*), \(ServerStatements.total(of: "processor_us")), max(peak_memory),
                    (SELECT operation FROM usages WHERE job = :job ORDER BY peak_memory DESC, operation LIMIT 1)
                FROM usages WHERE job = :job
                """
        )

        /// The text of ``lostLastOutputs``; CROSS JOIN has SQLite begin with the failures.
        private static func lostLastOutputs(joinedBy join: String) -> String {
            """
            SELECT f.operation, o.attempt
            FROM failures AS f \(join) operations AS o ON o.job = f.job AND o.first = f.operation
            WHERE f.job = :job AND f.operation >= :from AND f.operation < :end
                AND o.reason = '\(Reason.Code.lost.rawValue)' AND o.attempt > 0
                AND NOT EXISTS (
                    SELECT 1 FROM outputs WHERE job = :job AND operation = f.operation AND attempt = o.attempt
                        AND (stdout_length > 0 OR stderr_length > 0))
                AND NOT EXISTS (
                    SELECT 1 FROM usages WHERE job = :job AND operation = f.operation AND attempt = o.attempt)
            ORDER BY f.operation
            """
        }
    }
}
