import BatonOperations

/// Programs that were added after the submission: with those that were submitted they take the place of the template's.
extension SQLiteStore {
    /// Keeps what an operation runs from now on.
    static func write(
        _ commands: [[String]],
        of operation: OperationID,
        _ statements: Statements
    ) throws(SQLiteError) {
        statements.writeCommands.bind(1, operation.job.rawValue)
        statements.writeCommands.bind(2, operation.index)
        statements.writeCommands.bind(3, commands: commands)
        try statements.writeCommands.run()
    }

    /// The programs of those of a job's operations, from one on and below another, to which some were added.
    static func changedCommands(
        of job: JobNumber,
        from index: UInt32 = 0,
        below end: UInt64,
        _ statements: Statements
    ) throws(SQLiteError) -> [UInt32: [[String]]] {
        var changed: [UInt32: [[String]]] = [:]
        statements.commandsFrom.bind(1, job.rawValue)
        statements.commandsFrom.bind(2, index)
        try statements.commandsFrom.forEach { row throws(SQLiteError) in
            let operation: UInt32 = try row.number(0)
            guard UInt64(operation) < end else { return false }
            changed[operation] = try row.commands(1)
            return true
        }
        return changed
    }
}
