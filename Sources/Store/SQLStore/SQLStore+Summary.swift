@_spi(Baton) public import BatonOperations

/// What a whole job took.
@_spi(Baton) extension SQLStore {
    /// Adds up what the finished operations of a job took.
    ///
    /// - Complexity: O(operations that ran), at some two million a second.
    public func runSummary(of job: JobNumber) throws(StoreError) -> RunSummary {
        try with { statements throws(SQLError) in
            var summary = RunSummary()
            guard try Self.exists(job, statements) else { return summary }
            statements.times.runTimes.bind(.job, job.rawValue)
            try statements.times.runTimes.forEach { row throws(SQLError) in
                summary.addOperation(
                    OperationID(job: job, index: try row.number(0)),
                    worker: try row.optionalText(1),
                    readyAt: try row.optionalTime(2),
                    startedAt: try row.time(3),
                    finishedAt: try row.time(4)
                )
                return true
            }
            statements.times.earlierRunTimes.bind(.job, job.rawValue)
            try statements.times.earlierRunTimes.forEach { row throws(SQLError) in
                let endedAt = try row.time(2)
                let busy = max(0, (endedAt - (try row.optionalTime(1) ?? endedAt)).microseconds)
                summary.addEarlierAttempt(worker: try row.optionalText(0), busy: busy)
                return true
            }
            statements.outputs.usageOfJob.bind(.job, job.rawValue)
            try statements.outputs.usageOfJob.forEach { row throws(SQLError) in
                // Without rows, all columns but the count are NULL.
                let count: Int = try row.number(0)
                guard count > 0 else { return true }
                summary.addUsage(
                    count: count,
                    processorMicroseconds: try row.number(1),
                    peakMemory: try row.number(2),
                    of: OperationID(job: job, index: try row.number(3))
                )
                return true
            }
            return summary
        }
    }

    /// Follows the chain of operations for which the end of a job waited.
    ///
    /// - Complexity: O(operations of the job, and those that the dependencies of the chain cover); O(1) for a finished job that was
    ///   asked about of late.
    public func criticalPath(of job: JobNumber) throws(StoreError) -> CriticalPath {
        let isFinished = try with { statements throws(SQLError) in try Self.isFinished(job, statements) }
        if isFinished, let known = finishedPaths[job] { return known }
        let path = try newCriticalPath(of: job)
        // The record of a finished job stays as it is.
        if isFinished { finishedPaths[job] = path }
        return path
    }

    private func newCriticalPath(of job: JobNumber) throws(StoreError) -> CriticalPath {
        try with { statements throws(SQLError) in
            guard try Self.exists(job, statements) else { return CriticalPath() }
            let last = try lastFinished(of: job, 0...UInt32.max, hasRun: true, statements)
            return try CriticalPath(endingWith: last) { operation throws(SQLError) in
                guard let dependencies = try Self.presentDependencies(of: operation, statements),
                    let record = try Self.record(of: operation, statements)?.single(at: operation.index)
                else { return nil }
                let sources = try Self.inputSources(dependencies, statements)
                return try CriticalPath.step(before: record, sources) { source, limit throws(SQLError) in
                    guard try Self.exists(source.job, statements) else { return nil }
                    return try lastFinished(of: source.job, source.range, by: limit, statements)
                }
            }
        }
    }

    /// Returns the operation of a range that finished last, from memory if all finished ones are there; nil if none has finished.
    ///
    /// - Parameters:
    ///   - limit: the latest end that counts.
    ///   - hasRun: whether only operations count that have run.
    private func lastFinished(
        of job: JobNumber,
        _ range: ClosedRange<UInt32>,
        by limit: Timestamp = Timestamp(rawValue: .max),
        hasRun: Bool = false,
        _ statements: Statements
    ) throws(SQLError) -> CriticalPath.Step? {
        if let known = histories.lastFinished(of: job, range, by: limit, hasRun: hasRun) {
            return known.flatMap { last in
                last.finishedAt.map { end in
                    CriticalPath.Step(
                        operation: OperationID(job: job, index: last.first),
                        startedAt: last.startedAt,
                        finishedAt: end
                    )
                }
            }
        }
        // A row may cover more operations than the range, all with the same history.
        statements.operations.extentCovering.bind((.job, job.rawValue), (.operation, range.lowerBound))
        let start = try statements.operations.extentCovering.first { row throws(SQLError) in
            try row.number(0, as: UInt32.self)
        }
        statements.times.lastFinished.bind((.job, job.rawValue), (.from, start ?? range.lowerBound))
        statements.times.lastFinished.bind(.last, range.upperBound)
        statements.times.lastFinished.bind(
            (.first, range.lowerBound),
            (.hasRun, hasRun ? 1 : 0),
            (.until, limit.rawValue)
        )
        let found = try statements.times.lastFinished.first { row throws(SQLError) -> CriticalPath.Step? in
            // Without rows, all columns are NULL.
            guard let finishedAt = try row.optionalTime(2) else { return nil }
            let first: UInt32 = try row.number(0)
            return CriticalPath.Step(
                operation: OperationID(job: job, index: max(first, range.lowerBound)),
                startedAt: try row.optionalTime(1),
                finishedAt: finishedAt
            )
        }
        return found ?? nil
    }
}
