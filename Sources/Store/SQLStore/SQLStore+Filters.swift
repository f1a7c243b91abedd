@_spi(Baton) public import BatonOperations

/// Finds the operations of a job that meet conditions, so that nobody has to read the others.
@_spi(Baton) extension SQLStore {
    /// Finds finished operations, in memory if all finished ones are there.
    ///
    /// - Complexity: O(records in the range), at some millions a second; in memory, O(range), some 3 nanoseconds each.
    public func finishedOperations(
        of job: JobNumber,
        in indices: Range<UInt32>,
        meeting filter: ListFilter
    ) throws(StoreError) -> [Range<UInt32>] {
        try with { statements throws(SQLError) in
            if let known = histories.finished(of: job, in: indices, meeting: filter) { return known }
            let statement = statements.operations.finishedMeeting
            statement.bind((.job, job.rawValue), (.from, indices.lowerBound), (.end, indices.upperBound))
            let isAnyOutcome = filter.outcomes.isEmpty || filter.states.contains(.finished)
            let outcomes = filter.outcomes.map(\.description).joined(separator: ",")
            statement.bind(.outcomes, text: isAnyOutcome ? nil : outcomes)
            statement.bind(.worker, text: filter.worker)
            statement.bind(.since, filter.since?.rawValue)
            var found: [Range<UInt32>] = []
            try statement.forEach { row throws(SQLError) in
                let first: UInt32 = try row.number(0)
                let last: UInt32 = try row.number(1)
                guard first <= last, last < .max else { throw row.damaged(1) }
                found.append(adjoining: (first..<last + 1).clamped(to: indices))
                return true
            }
            return found
        }
    }

    /// Finds operations by their names and their queue.
    ///
    /// - Complexity: O(entries in the range).
    public func operations(
        of job: JobNumber,
        in indices: Range<UInt32>,
        named name: NameGlob?,
        inQueue queue: String?
    ) throws(StoreError) -> [Range<UInt32>] {
        try with { statements throws(SQLError) in
            var number: Int64?
            if let queue {
                statements.jobs.submission.bind(.job, job.rawValue)
                let queues = try statements.jobs.submission.first { row throws(SQLError) in
                    try row.strings(SubmissionColumn.queueNames)
                }
                guard let place = queues?.firstIndex(of: queue) else { return [] }
                number = Int64(place)
            }
            let statement = statements.entries.entriesOfQueue
            statement.bind((.job, job.rawValue), (.from, indices.lowerBound), (.end, indices.upperBound))
            statement.bind(.queue, number)
            var found: [Range<UInt32>] = []
            try statement.forEach { row throws(SQLError) in
                let first: UInt32 = try row.number(0)
                let count: UInt32 = try row.number(1)
                guard count > 0, !first.addingReportingOverflow(count).overflow else { throw row.damaged(1) }
                if let name {
                    guard let own = try row.optionalText(2), name.matches(own) else { return true }
                }
                found.append(adjoining: (first..<first + count).clamped(to: indices))
                return true
            }
            return found
        }
    }
}
