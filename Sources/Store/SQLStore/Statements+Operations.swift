extension Statements {
    /// What happened to operations, their changed dependencies and commands, and their attempts.
    struct Operations {
        let writeOperation = Statement(replacing: OperationColumn.self, in: "operations")
        let operationCovering = Statement(
            reading: OperationColumn.self,
            "FROM operations WHERE job = :job AND first <= :operation ORDER BY first DESC LIMIT 1"
        )
        /// The first and the last operation of the covering row, enough for a write.
        let extentCovering = Statement(
            "SELECT first, last FROM operations WHERE job = :job AND first <= :operation ORDER BY first DESC LIMIT 1"
        )
        let operationsFrom = Statement(
            reading: OperationColumn.self,
            "FROM operations WHERE job = :job AND first >= :from ORDER BY first"
        )
        /// The finished operations that meet conditions; NULL stands for no condition.
        let finishedMeeting = Statement(
            """
            SELECT first, last FROM operations
            WHERE job = :job AND first < :end AND state = 'finished'
                AND first >= coalesce((SELECT max(first) FROM operations WHERE job = :job AND first <= :from), :from)
                AND (:outcomes IS NULL OR instr(:outcomes, outcome) > 0)
                AND (:worker IS NULL OR worker = :worker)
                AND (:since IS NULL OR started_at >= :since OR finished_at >= :since)
            ORDER BY first
            """
        )
        let successesFrom = Statement(
            reading: SuccessColumn.self,
            "FROM operations WHERE job = :job AND first >= :from AND first < :end ORDER BY first"
        )
        let historiesFrom = Statement(
            reading: HistoryColumn.self,
            "FROM operations WHERE job = :job AND first >= :from AND first < :end ORDER BY first"
        )
        let fates = Statement(reading: FateColumn.self, "FROM operations WHERE job = :job ORDER BY first")
        let operationsWithResults = Statement(
            """
            SELECT first FROM operations INDEXED BY operations_with_results
            WHERE job = :job AND first BETWEEN :first AND :last AND has_result = 1 ORDER BY first
            """
        )
        let operationsWithFiles = Statement(
            """
            SELECT DISTINCT operation FROM files
            WHERE job = :job AND operation BETWEEN :first AND :last ORDER BY operation
            """
        )
        let copyOperationTail = Statement(
            """
            INSERT INTO operations (\(OperationColumn.list))
            SELECT \(Operations.columnsOfTail) FROM operations WHERE job = :job AND first = :first
            """
        )
        let shortenOperation = Statement("UPDATE operations SET last = :last WHERE job = :job AND first = :first")
        let deleteOperations = Statement(
            "DELETE FROM operations WHERE job = :job AND first BETWEEN :first AND :last AND last <= :last"
        )
        let advanceOperation = Statement(
            """
            UPDATE operations SET first = :last + 1, level_order = level_order + (:last + 1 - first)
            WHERE job = :job AND first BETWEEN :first AND :last
            """
        )

        let writeDependencies = Statement(
            "INSERT OR REPLACE INTO operation_dependencies VALUES (:job, :operation, :dependencies)"
        )
        let dependencies = Statement(
            "SELECT dependencies FROM operation_dependencies WHERE job = :job AND operation = :operation"
        )
        let dependenciesFrom = Statement(
            """
            SELECT operation, dependencies FROM operation_dependencies
            WHERE job = :job AND operation >= :from ORDER BY operation
            """
        )
        let writeCommands = Statement("INSERT OR REPLACE INTO operation_commands VALUES (:job, :operation, :commands)")
        let commandsFrom = Statement(
            """
            SELECT operation, commands FROM operation_commands
            WHERE job = :job AND operation >= :from ORDER BY operation
            """
        )

        let writeAttempt = Statement(replacing: AttemptColumn.self, in: "attempts")
        /// Delete the oldest attempts of an operation, all but a number of them.
        let deleteAttempts = Statement(
            """
            DELETE FROM attempts WHERE job = :job AND operation = :operation AND attempt <= (
                SELECT attempt FROM attempts WHERE job = :job AND operation = :operation ORDER BY attempt DESC LIMIT 1 OFFSET :limit
            )
            """
        )
        let attempts = Statement(
            reading: AttemptColumn.self,
            "FROM attempts WHERE job = :job AND operation = :operation ORDER BY attempt"
        )
        let attemptsFrom = Statement(
            reading: AttemptColumn.self,
            "FROM attempts WHERE job = :job AND operation >= :from AND operation < :end ORDER BY operation, attempt"
        )

        /// The columns of the second part of a row of operations that is cut in two; the part begins at the parameter `tail`.
        private static let columnsOfTail = OperationColumn.allCases.map { column in
            switch column {
            case .first: ":tail"
            case .levelOrder: "level_order + (:tail - first)"
            default: column.name
            }
        }.joined(separator: ", ")
    }
}
