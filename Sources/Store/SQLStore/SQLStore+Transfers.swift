@_spi(Baton) import BatonOperations

/// What the workers of attempts fetched, and what attempts left, for histories.
extension SQLStore {
    /// Stores what was fetched for an attempt, and forgets the fetches of the operation beyond as many as there are earlier attempts.
    static func write(
        _ fetch: FetchRecord,
        ofAttempt attempt: UInt32,
        of operation: OperationID,
        _ statements: Statements
    ) throws(SQLError) {
        let statement = statements.files.writeFetch
        typealias Column = FetchColumn
        statement.bind(Column.job, operation.job.rawValue)
        statement.bind(Column.operation, operation.index)
        statement.bind(Column.attempt, attempt)
        statement.bind(Column.sentAt, fetch.sentAt.inColumn)
        statement.bind(Column.arrivedAt, fetch.arrivedAt.inColumn)
        statement.bind(Column.files, fetch.files)
        statement.bind(Column.bytes, fetch.bytes)
        try statement.run()
        statements.files.deleteFetches.bind(operation)
        statements.files.deleteFetches.bind(.limit, AttemptRecord.maximumCount + 1)
        try statements.files.deleteFetches.run()
    }

    /// Reads what was fetched for the attempts of some operations.
    ///
    /// - Complexity: O(log fetches + the fetches).
    static func fetches(
        of job: JobNumber,
        _ range: Range<UInt32>,
        _ statements: Statements
    ) throws(SQLError) -> [HistoryFetch] {
        var fetches: [HistoryFetch] = []
        let statement = statements.files.fetchesFrom
        statement.bind((.job, job.rawValue), (.from, range.lowerBound), (.end, range.upperBound))
        try statement.forEach { row throws(SQLError) in
            typealias Column = FetchColumn
            let fetch = FetchRecord(
                sentAt: try row.time(Column.sentAt),
                arrivedAt: try row.time(Column.arrivedAt),
                files: try row.number(Column.files),
                bytes: try row.number(Column.bytes)
            )
            let operation: UInt32 = try row.number(Column.operation)
            fetches.append(HistoryFetch(operation: operation, attempt: try row.number(Column.attempt), fetch: fetch))
            return true
        }
        return fetches
    }

    /// Adds up the files that attempts of some operations left.
    ///
    /// - Complexity: O(log files + the files).
    static func filesOfAttempts(
        of job: JobNumber,
        _ range: Range<UInt32>,
        _ statements: Statements
    ) throws(SQLError) -> [HistoryFiles] {
        var files: [HistoryFiles] = []
        let statement = statements.files.sizesOfFiles
        statement.bind((.job, job.rawValue), (.from, range.lowerBound), (.end, range.upperBound))
        try statement.forEach { row throws(SQLError) in
            files.append(
                HistoryFiles(
                    operation: try row.number(0),
                    attempt: try row.number(1),
                    count: try row.number(2),
                    bytes: try row.number(3)
                )
            )
            return true
        }
        return files
    }
}
