@_spi(Baton) public import BatonOperations

/// What attempts used.
@_spi(Baton) extension SQLStore {
    /// Stores what an attempt used.
    static func write(
        _ usage: AttemptUsage,
        ofAttempt attempt: UInt32,
        of operation: OperationID,
        _ statements: Statements
    ) throws(SQLError) {
        let statement = statements.outputs.writeUsage
        typealias Column = UsageColumn
        statement.bind(Column.job, operation.job.rawValue)
        statement.bind(Column.operation, operation.index)
        statement.bind(Column.attempt, attempt)
        statement.bind(Column.processorUs, usage.processorMicroseconds)
        statement.bind(Column.peakMemory, usage.peakMemory)
        try statement.run()
    }

    /// Reads what the attempts of an operation used.
    ///
    /// - Complexity: O(attempts).
    public func usages(of operation: OperationID) throws(StoreError) -> [UInt32: AttemptUsage] {
        try with { statements throws(SQLError) in
            guard try Self.exists(operation.job, statements) else { return [:] }
            var usages: [UInt32: AttemptUsage] = [:]
            statements.outputs.usages.bind(operation)
            try statements.outputs.usages.forEach { row throws(SQLError) in
                typealias Column = UsageColumn
                usages[try row.number(Column.attempt)] = AttemptUsage(
                    processorMicroseconds: try row.number(Column.processorUs),
                    peakMemory: try row.number(Column.peakMemory)
                )
                return true
            }
            return usages
        }
    }
}
