@_spi(Baton) import BatonOperations

/// Programs added after the submission: together with the submitted programs they replace the programs of the template.
extension SQLStore {
    /// Stores the present programs of an operation.
    static func write(
        _ commands: [[String]],
        of operation: OperationID,
        _ statements: Statements
    ) throws(SQLError) {
        statements.operations.writeCommands.bind(operation)
        statements.operations.writeCommands.bind(.commands, commands: commands)
        try statements.operations.writeCommands.run()
    }

    /// Returns the programs of operations with added programs, in a range of a job's indices.
    static func changedCommands(
        of job: JobNumber,
        from index: UInt32 = 0,
        below end: UInt64,
        _ statements: Statements
    ) throws(SQLError) -> [UInt32: [[String]]] {
        var changed: [UInt32: [[String]]] = [:]
        statements.operations.commandsFrom.bind((.job, job.rawValue), (.from, index))
        try statements.operations.commandsFrom.forEach { row throws(SQLError) in
            let operation: UInt32 = try row.number(0)
            guard UInt64(operation) < end else { return false }
            changed[operation] = try row.commands(1)
            return true
        }
        return changed
    }
}
