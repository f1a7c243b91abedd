@_spi(Baton) public import BatonOperations

/// Jobs that are retried, with what has become of their operations.
@_spi(Baton) extension SQLStore {
    /// Reads what a retry of a job needs.
    public func jobToRetry(_ number: JobNumber) throws(StoreError) -> JobToRetry? {
        var acceptedAt: [Timestamp] = []
        return try with { statements throws(SQLError) in
            guard
                let restored = try Self.jobWithoutRecords(number, isUnfinished: false, &acceptedAt, statements)
            else { return nil }
            var retry = JobToRetry(restored)
            try Self.readFates(of: &retry, statements)
            return retry
        }
    }

    /// Reads the fates of a job's operations; operations without a row are unfinished.
    ///
    /// - Complexity: O(rows): elements of an array that ended alike have one row.
    private static func readFates(of retry: inout JobToRetry, _ statements: Statements) throws(SQLError) {
        statements.operations.fates.bind(.job, retry.job.number.rawValue)
        let count = retry.job.submission.operationCount
        var fates = OperationFates()
        try statements.operations.fates.forEach { row throws(SQLError) in
            let (range, fate) = try row.operationFate()
            guard Int(range.upperBound) < count else { throw row.damaged(FateColumn.last) }
            if let previous = fates.runs.last, previous.operations.upperBound > range.lowerBound {
                throw row.damaged(FateColumn.first)
            }
            fates.append(fate, of: range.lowerBound..<range.upperBound + 1)
            return true
        }
        retry.fates = fates
    }
}
