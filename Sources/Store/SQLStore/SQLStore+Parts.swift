@_spi(Baton) public import BatonOperations

/// Large jobs that come into the record in parts, each in a transaction of its own.
///
/// The job's row in `jobs` comes last, and nothing is found without it. Until then, `removed_jobs` contains the job's number: after
/// a crash, the rows are removed like those of a removed job.
@_spi(Baton) extension SQLStore {
    /// Stores the next rows of a job that the record does not have yet.
    ///
    /// - Complexity: O(rows), where an array counts with its lines.
    public func store(_ parts: inout JobParts, of job: JobNumber, rows: Int) throws(StoreError) {
        let start = parts.storedRows
        let end = min(parts.rowCount, start + max(1, rows))
        try transaction { [parts] statements throws(SQLError) in
            if !parts.isBegun {
                for statement in [statements.removal.noteRemovedJob, statements.removal.insertRemovedJob] {
                    statement.bind(.job, job.rawValue)
                    try statement.run()
                }
            }
            let (submission, firsts) = (parts.submission, parts.firsts)
            // The rows of templates, entries and names follow one another.
            let entriesStart = submission.templates.count
            let namesStart = entriesStart + submission.entries.count
            let templates = (start..<end).clamped(to: 0..<entriesStart)
            try Self.insert(submission.templates[templates], of: job, from: 0, statements)
            let entries = (start..<end).clamped(to: entriesStart..<namesStart).shifted(by: -entriesStart)
            try Self.insert(submission.entries[entries], of: job, firsts, EntryPlace(), statements)
            let names = (start..<end).clamped(to: namesStart..<parts.rowCount).shifted(by: -namesStart)
            try Self.insertNames(of: submission.entries, parts.named[names], of: job, firsts, statements)
        }
        parts.storedRows = end
    }

    /// Makes the rows of a job that were stored in parts those of a job in the record.
    static func endParts(of job: JobNumber, _ statements: Statements) throws(SQLError) {
        statements.removal.takeRemovedJob.bind(.job, job.rawValue)
        let mark = try statements.removal.takeRemovedJob.first { row throws(SQLError) in JobNumber(try row.number(0))
        }
        guard mark == job else {
            throw SQLError(.constraint, "job \(job) came in parts, and its rows are not marked as such")
        }
    }
}

extension Range<Int> {
    /// The range with another beginning.
    fileprivate func shifted(by distance: Int) -> Range<Int> { lowerBound + distance..<upperBound + distance }
}
