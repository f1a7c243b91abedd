extension Statements {
    /// The files that workers keep of operations, and what was fetched of them.
    struct Files {
        let writeFile = Statement(replacing: FileColumn.self, in: "files")
        let deleteFiles = Statement("DELETE FROM files WHERE job = :job AND operation = :operation")
        /// The files of some operations of a job, from a place in their order on; a negative limit means all.
        let files = Statement(
            reading: FileColumn.self,
            """
            FROM files WHERE job = :job AND operation BETWEEN :first AND :last
            ORDER BY operation, path LIMIT :limit OFFSET :from
            """
        )
        let file = Statement(
            reading: FileColumn.self,
            "FROM files WHERE job = :job AND operation = :operation AND path = :name"
        )
        /// How many files some operations of a job have, and how long they are together; total() cannot overflow.
        let sizeOfFiles = Statement(
            """
            SELECT count(*), CAST(total(size) AS INTEGER) FROM files WHERE job = :job AND operation BETWEEN :first AND :last
            """,
            server: """
                SELECT count(*), \(ServerStatements.total(of: "size")) FROM files
                WHERE job = :job AND operation BETWEEN :first AND :last
                """
        )
        /// How many files some operations have left, with which attempt, and how long they are together.
        let sizesOfFiles = Statement(
            """
            SELECT operation, max(attempt), count(*), CAST(total(size) AS INTEGER) FROM files
            WHERE job = :job AND operation >= :from AND operation < :end GROUP BY operation ORDER BY operation
            """,
            server: """
                SELECT operation, max(attempt), count(*), \(ServerStatements.total(of: "size")) FROM files
                WHERE job = :job AND operation >= :from AND operation < :end GROUP BY operation ORDER BY operation
                """
        )
        let writeFetch = Statement(replacing: FetchColumn.self, in: "fetches")
        /// Delete the oldest fetches of an operation, all but a number of them.
        let deleteFetches = Statement(
            """
            DELETE FROM fetches WHERE job = :job AND operation = :operation AND attempt <= (
                SELECT attempt FROM fetches WHERE job = :job AND operation = :operation ORDER BY attempt DESC LIMIT 1 OFFSET :limit
            )
            """
        )
        let fetchesFrom = Statement(
            reading: FetchColumn.self,
            "FROM fetches WHERE job = :job AND operation >= :from AND operation < :end ORDER BY operation, attempt"
        )
        /// The finished jobs that may keep their files for a time after their end.
        let jobsKeepingFiles = Statement(
            """
            SELECT job, finished_clock, settings FROM jobs INDEXED BY jobs_keeping_files
            WHERE instr(settings, '"keepFiles"') > 0 AND finished_clock IS NOT NULL ORDER BY job
            """
        )
    }
}
