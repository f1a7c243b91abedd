@_spi(Baton) import BatonOperations

/// The ends of jobs.
extension SQLStore {
    /// Stores the end of a job, within a transaction.
    func finish(
        _ job: JobNumber,
        _ counts: JobCounts,
        startedAt: Timestamp?,
        at time: Timestamp,
        root: OperationID?,
        _ statements: Statements
    ) throws(SQLError) {
        let statement = statements.jobs.finishJob
        typealias Column = JobEndColumn
        statement.bind(Column.job, job.rawValue)
        statement.bind(Column.startedAt, startedAt?.inColumn)
        statement.bind(Column.finishedAt, time.inColumn)
        statement.bind(Column.succeeded, counts.succeeded)
        statement.bind(Column.failed, counts.failed)
        statement.bind(Column.cancelled, counts.cancelled)
        statement.bind(Column.skipped, counts.skipped)
        statement.bind(Column.notNeeded, counts.notNeeded)
        statement.bind(Column.skippedAfterFailure, counts.skippedAfterFailure)
        statement.bind(Column.wasCancelled, counts.isCancelled ? 1 : 0)
        statement.bind(Column.root, text: root?.description)
        statement.bind(Column.finishedClock, time.inColumn(ofClockBehindBy: clockOffset))
        try statement.run()
        // A job finished twice still counts once; a server's statement counts by itself.
        guard statements.server == nil, try statement.changedRows == 1 else { return }
        for outcome in Outcome.allCases where counts[outcome] > 0 {
            statements.record.addToMeta.bind(.key, text: "finished_\(outcome)")
            statements.record.addToMeta.bind(.count, counts[outcome])
            try statements.record.addToMeta.run()
        }
        let skipped = [
            ("finished_not_needed", counts.notNeeded), ("finished_skipped_after_failure", counts.skippedAfterFailure),
        ]
        for (key, count) in skipped where count > 0 {
            statements.record.addToMeta.bind(.key, text: key)
            statements.record.addToMeta.bind(.count, count)
            try statements.record.addToMeta.run()
        }
    }
}
