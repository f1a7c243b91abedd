@_spi(Baton) import BatonOperations

/// Attempts with their outputs and results, as they are written.
extension SQLStore {
    /// Adds an attempt, and deletes the attempts of the operation beyond ``AttemptRecord/maximumCount``.
    static func write(
        _ attempt: AttemptRecord,
        of operation: OperationID,
        _ statements: Statements
    ) throws(SQLError) {
        statements.operations.writeAttempt.bind(attempt, of: operation)
        try statements.operations.writeAttempt.run()
        // An operation has at most as many attempts as the last one's number says.
        guard attempt.attempt > AttemptRecord.maximumCount else { return }
        statements.operations.deleteAttempts.bind(operation)
        statements.operations.deleteAttempts.bind(.limit, AttemptRecord.maximumCount)
        try statements.operations.deleteAttempts.run()
    }

    /// Adds the output, the result and the usage of an attempt.
    static func write(
        _ output: AttemptOutput,
        of operation: OperationID,
        _ statements: Statements
    ) throws(SQLError) {
        if let usage = output.usage { try write(usage, ofAttempt: output.attempt, of: operation, statements) }
        guard !output.isBlank else { return }
        let statement = statements.outputs.writeOutput
        typealias Column = OutputColumn
        statement.bind(Column.job, operation.job.rawValue)
        statement.bind(Column.operation, operation.index)
        statement.bind(Column.attempt, output.attempt)
        statement.bind(Column.stdoutLength, Int64(clamping: output.standardOutput.totalLength))
        statement.bind(Column.stdout, bytes: output.standardOutput.bytes)
        statement.bind(Column.stderrLength, Int64(clamping: output.standardError.totalLength))
        statement.bind(Column.stderr, bytes: output.standardError.bytes)
        statement.bind(Column.result, bytes: output.result)
        try statement.run()
    }

    /// Copies the result of an operation's last attempt: the job of the operation may be removed before the copy is used.
    static func copyResult(
        of source: OperationID,
        to operation: OperationID,
        _ statements: Statements
    ) throws(SQLError) {
        let statement = statements.outputs.copyResult
        statement.bind(operation)
        statement.bind((.fromJob, source.job.rawValue), (.from, source.index))
        try statement.run()
    }
}
