@_spi(Baton) import BatonOperations

/// The states of operations, as they are written: a row for each range of operations in the same state.
extension SQLStore {
    /// Stores the state of the operations of a record, within a transaction.
    func write(_ record: OperationRecord, _ statements: Statements) throws(SQLError) {
        if record.count > 1 { jobsOfSingleRows.remove(record.id.job) }
        if !jobsOfSingleRows.contains(record.id.job) { try Self.makeRoom(for: record, statements) }
        statements.operations.writeOperation.bind(record, clockOffset: clockOffset)
        try statements.operations.writeOperation.run()
    }

    /// Cuts the operations of a record out of other rows.
    ///
    /// Most records meet no row, or replace a row of the same extent.
    private static func makeRoom(for record: OperationRecord, _ statements: Statements) throws(SQLError) {
        let job = record.id.job.rawValue
        let first = record.id.index
        let last = record.lastIndex
        statements.operations.extentCovering.bind((.job, job), (.operation, last))
        let neighbour = try statements.operations.extentCovering.first { row throws(SQLError) in
            (first: try row.number(0, as: UInt32.self), last: try row.number(1, as: UInt32.self))
        }
        if let neighbour, neighbour.last >= first, neighbour != (first, last) {
            try makeRoom(job, first, last, statements)
        }
    }

    /// Cuts a range out of the overlapping rows, so that rows never overlap.
    private static func makeRoom(
        _ job: UInt32,
        _ first: UInt32,
        _ last: UInt32,
        _ statements: Statements
    ) throws(SQLError) {
        if first > 0 {
            statements.operations.extentCovering.bind((.job, job), (.operation, first - 1))
            let before = try statements.operations.extentCovering.first { row throws(SQLError) in
                (first: try row.number(0, as: UInt32.self), last: try row.number(1, as: UInt32.self))
            }
            if let before, before.last >= first {
                if before.last > last {
                    statements.operations.copyOperationTail.bind(
                        (.job, job),
                        (.first, before.first),
                        (.tail, Int64(last) + 1)
                    )
                    try statements.operations.copyOperationTail.run()
                }
                statements.operations.shortenOperation.bind((.job, job), (.first, before.first), (.last, first - 1))
                try statements.operations.shortenOperation.run()
            }
        }
        for statement in [statements.operations.deleteOperations, statements.operations.advanceOperation] {
            statement.bind((.job, job), (.first, first), (.last, last))
            try statement.run()
        }
    }
}
