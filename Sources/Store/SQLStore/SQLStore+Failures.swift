@_spi(Baton) public import BatonOperations

/// Groups the failures of a job as they happen, so that no question has to look at the operations of a job.
@_spi(Baton) extension SQLStore {
    /// Puts the operations of some records into the groups of their failures; an operation in a group stays there.
    ///
    /// The outputs of the operations have to be in the record already.
    ///
    /// - Complexity: O(operations of the records · log failures).
    static func noteFailures(_ records: [OperationRecord], _ statements: Statements) throws(SQLError) {
        guard !records.isEmpty else { return }
        var grouping = FailureGrouping()
        // A server is asked once for all that is known of them.
        let facts = try statements.server?.facts(of: records)
        for (position, record) in records.enumerated() {
            try grouping.note(record, facts?[position], statements)
        }
        try grouping.end(statements)
    }

    /// Lists the groups of a job's failures.
    ///
    /// - Complexity: O(groups · log groups).
    public func failureGroups(of job: JobNumber) throws(StoreError) -> [FailureGroup] {
        try with { statements throws(SQLError) in
            try Self.numberedGroups(of: job, mostListed: FailureGroup.mostListed, statements).map(\.group)
        }
    }

    /// Lists a job's failed operations from an index on.
    ///
    /// - Complexity: O(limit + log failures).
    public func failures(of job: JobNumber, from index: UInt32, limit: Int) throws(StoreError) -> [UInt32] {
        try with { statements throws(SQLError) in
            guard try Self.exists(job, statements) else { return [] }
            var failures: [UInt32] = []
            statements.failures.failuresFrom.bind((.job, job.rawValue), (.from, index), (.limit, max(0, limit)))
            try statements.failures.failuresFrom.forEach { row throws(SQLError) in
                failures.append(try row.number(0))
                return true
            }
            return failures
        }
    }

    /// Lists the operations of a group of a job's failures.
    ///
    /// - Complexity: O(groups · log groups + operations of the group).
    public func failures(of job: JobNumber, inGroup number: Int) throws(StoreError) -> [Range<UInt32>]? {
        try with { statements throws(SQLError) in
            let groups = try Self.numberedGroups(of: job, mostListed: 1, statements)
            guard groups.indices.contains(number - 1) else { return nil }
            return try Self.operations(ofGroup: groups[number - 1].number, of: job, limit: -1, statements)
        }
    }

    /// Returns the groups in their order, each with its number on disk, which is the number of its first arrival.
    private static func numberedGroups(
        of job: JobNumber,
        mostListed: Int,
        _ statements: Statements
    ) throws(SQLError) -> [(number: Int64, group: FailureGroup)] {
        guard try exists(job, statements) else { return [] }
        var groups: [(number: Int64, group: FailureGroup)] = []
        statements.failures.failureGroups.bind(.job, job.rawValue)
        try statements.failures.failureGroups.forEach { row throws(SQLError) in
            typealias Column = FailureGroupColumn
            guard let reason = Reason.Code(rawValue: try row.text(Column.reason)) else {
                throw row.damaged(Column.reason)
            }
            let kind = FailureKind(
                reason: reason,
                exitStatus: try row.optional(Column.exitStatus),
                signal: try row.optional(Column.signal),
                line: try row.text(Column.line)
            )
            let group = FailureGroup(kind: kind, count: try row.number(Column.operations), first: [])
            groups.append((try row.number(Column.number), group))
            return true
        }
        for position in groups.indices {
            groups[position].group.first = try operations(
                ofGroup: groups[position].number,
                of: job,
                limit: mostListed,
                statements
            ).flatMap { Array($0) }
        }
        return groups.sorted { FailureGroup.isBefore($0.group, $1.group) }
    }

    private static func operations(
        ofGroup number: Int64,
        of job: JobNumber,
        limit: Int,
        _ statements: Statements
    ) throws(SQLError) -> [Range<UInt32>] {
        var ranges: [Range<UInt32>] = []
        statements.failures.failuresOfGroup.bind((.job, job.rawValue), (.number, number), (.limit, limit))
        try statements.failures.failuresOfGroup.forEach { row throws(SQLError) in
            let index: UInt32 = try row.number(0)
            guard index < .max else { throw row.damaged(0) }
            if let last = ranges.last, last.upperBound == index {
                ranges[ranges.count - 1] = last.lowerBound..<(index + 1)
            } else {
                ranges.append(index..<(index + 1))
            }
            return true
        }
        return ranges
    }
}
