@_spi(Baton) import BatonOperations

/// Jobs in rows.
extension Statement {
    /// Returns the job in the current row of a statement that lists jobs.
    func jobSummary() throws(SQLError) -> JobSummary {
        let number = JobNumber(try number(JobSummaryColumn.job))
        do {
            return try summary(ofJob: number)
        } catch {
            guard error.code == .corrupt else { throw error }
            throw .damaged("of job \(number), \(error.message)")
        }
    }

    private func summary(ofJob job: JobNumber) throws(SQLError) -> JobSummary {
        typealias Column = JobSummaryColumn
        var summary = JobSummary(
            number: job,
            name: try optionalText(Column.name),
            queue: try text(Column.queue),
            operations: try number(Column.operations),
            submittedAt: try time(Column.submittedAt),
            finishedAt: try optionalTime(Column.finishedAt)
        )
        summary.startedAt = try optionalTime(Column.startedAt)
        if summary.finishedAt != nil {
            var counts = JobCounts()
            counts.succeeded = try number(Column.succeeded)
            counts.failed = try number(Column.failed)
            counts.cancelled = try number(Column.cancelled)
            counts.skipped = try number(Column.skipped)
            counts.notNeeded = try number(Column.notNeeded)
            counts.skippedAfterFailure = try number(Column.skippedAfterFailure)
            counts.isCancelled = try flag(Column.wasCancelled)
            guard counts.notNeeded >= 0, counts.skippedAfterFailure >= 0,
                counts.notNeeded <= counts.skipped - min(counts.skipped, counts.skippedAfterFailure)
            else { throw damaged(Column.notNeeded) }
            guard counts.finished == summary.operations else {
                throw .damaged(
                    "there are \(summary.operations) operations, and the ends of \(counts.finished) were counted"
                )
            }
            summary.counts = counts
            if let text = try optionalText(Column.root) {
                guard case .operation(let root)? = Address(text) else { throw damaged(Column.root) }
                summary.root = root
            }
        }
        summary.retryOf = try optional(Column.retryOf, as: UInt32.self).map { JobNumber($0) }
        summary.keyDigest = try optional(Column.keyDigest, as: Int64.self).map { UInt64(bitPattern: $0) }
        summary.key = try optionalText(Column.key)
        summary.submittedBy = try optionalText(Column.submittedBy)
        summary.settings = try jobSettings(Column.settings)
        summary.isOpen = try flag(Column.isOpen)
        return summary
    }

    /// What a submission says about its job; NULL says nothing.
    func jobSettings(_ column: some RowColumn) throws(SQLError) -> JobSettings {
        guard let text = try optionalText(column) else { return JobSettings() }
        guard let settings = JobSettings(recordText: text) else { throw damaged(column) }
        return settings
    }
}
