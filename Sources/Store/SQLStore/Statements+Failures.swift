@_spi(Baton) import BatonOperations

extension Statements {
    /// Failed operations, in groups.
    struct Failures {
        let groupOfFailure = Statement("SELECT 1 FROM failures WHERE job = :job AND operation = :operation")
        let insertFailure = Statement(inserting: FailureColumn.self, into: "failures")
        let insertFailureGroup = Statement(inserting: FailureGroupColumn.self, into: "failure_groups")
        let countFailures = Statement(
            "UPDATE failure_groups SET operations = operations + :count WHERE job = :job AND number = :number"
        )
        let failureGroupOfKind = Statement(
            """
            SELECT number FROM failure_groups INDEXED BY failure_groups_by_line
            WHERE job = :job AND line = :line AND reason = :reason AND exit_status IS :exit_status AND signal IS :signal
            """
        )
        let lastFailureGroup = Statement(
            "SELECT number FROM failure_groups WHERE job = :job ORDER BY number DESC LIMIT 1"
        )
        let failureGroups = Statement(
            reading: FailureGroupColumn.self,
            "FROM failure_groups WHERE job = :job ORDER BY number"
        )
        let failuresFrom = Statement(
            "SELECT operation FROM failures WHERE job = :job AND operation >= :from ORDER BY operation LIMIT :limit"
        )
        /// The first operations of a group; a negative limit means all.
        let failuresOfGroup = Statement(
            """
            SELECT operation FROM failures INDEXED BY failures_by_group
            WHERE job = :job AND number = :number ORDER BY operation LIMIT :limit
            """
        )
        let standardErrorEnd = Statement(
            """
            SELECT substr(stderr, -\(FailureKind.mostBytes)) FROM outputs
            WHERE job = :job AND operation = :operation AND attempt = :attempt
            """,
            server: """
                SELECT \(ServerStatements.endOfStandardError) FROM outputs
                WHERE job = :job AND operation = :operation AND attempt = :attempt
                """
        )
    }
}
