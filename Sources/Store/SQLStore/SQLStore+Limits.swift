@_spi(Baton) import BatonOperations

/// The memory and time of the next attempt of each operation whose earlier attempts ran out of them (RT4).
extension SQLStore {
    /// Returns what the next attempts of a job's operations may use, where that is more than they began with, by index.
    ///
    /// - Complexity: O(templates), and in a job with ranges O(entries + earlier attempts).
    static func grownLimits(
        of job: JobRecord,
        _ statements: Statements
    ) throws(SQLError) -> [UInt32: AttemptLimits] {
        let submission = job.submission
        guard submission.templates.contains(where: \.hasRanges) else { return [:] }
        var limits: [UInt32: AttemptLimits] = [:]
        // The entry of the row, and the index behind its last operation: rows come in the order of the indices.
        var (position, end) = (-1, 0)
        statements.operations.attemptsFrom.bind(
            (.job, job.number.rawValue),
            (.from, 0),
            (.end, submission.operationCount)
        )
        try statements.operations.attemptsFrom.forEach { row throws(SQLError) in
            let operation: UInt32 = try row.number(AttemptColumn.operation)
            while operation >= end, position + 1 < submission.entries.count {
                position += 1
                end += submission.entries[position].count
            }
            guard operation < end else { throw row.damaged(AttemptColumn.operation) }
            let template = submission.templates[submission.entries[position].template]
            // The last attempt of an operation comes last.
            let next = template.limits(after: try row.attemptRecord())
            limits[operation] = next.isEmpty ? nil : next
            return true
        }
        return limits
    }
}
