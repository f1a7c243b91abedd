@_spi(Baton) import BatonOperations

/// The executing operations whose processes stand still.
extension SQLStore {
    static func write(
        _ pause: PauseRecord?,
        of operation: OperationID,
        _ statements: Statements
    ) throws(SQLError) {
        guard let pause else {
            statements.cluster.deletePause.bind(operation)
            return try statements.cluster.deletePause.run()
        }
        let statement = statements.cluster.writePause
        typealias Column = PauseColumn
        statement.bind(Column.job, operation.job.rawValue)
        statement.bind(Column.operation, operation.index)
        statement.bind(Column.requestedBy, text: pause.by)
        statement.bind(Column.since, pause.since.inColumn)
        try statement.run()
    }

    static func pauses(_ statements: Statements) throws(SQLError) -> [OperationID: PauseRecord] {
        var pauses: [OperationID: PauseRecord] = [:]
        try statements.cluster.pauses.forEach { row throws(SQLError) in
            let job = JobNumber(try row.number(PauseColumn.job))
            let id = OperationID(job: job, index: try row.number(PauseColumn.operation))
            pauses[id] = PauseRecord(
                by: try row.optionalText(PauseColumn.requestedBy),
                since: try row.time(PauseColumn.since)
            )
            return true
        }
        return pauses
    }
}
