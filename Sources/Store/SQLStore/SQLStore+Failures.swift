@_spi(Baton) public import BatonOperations

/// Groups the failures of a job as they happen, so that no question has to look at the operations of a job.
@_spi(Baton) extension SQLStore {
    /// The most groups of a job whose lines make a difference; a job could have as many as operations.
    static let mostGroupsWithLines: Int64 = 500

    /// Puts the operations of a record into the group of their failure; an operation in a group stays there.
    ///
    /// The output of the operation has to be in the record already.
    ///
    /// - Complexity: O(operations of the record · log failures).
    static func noteFailure(_ record: OperationRecord, _ statements: Statements) throws(SQLError) {
        let job = record.id.job.rawValue
        var number: Int64?
        for index in record.id.index...record.lastIndex {
            statements.failures.groupOfFailure.bind((.job, job), (.operation, index))
            if try statements.failures.groupOfFailure.first({ _ in true }) == true { continue }
            let group: Int64
            if let number {
                group = number
            } else {
                group = try self.group(of: record, statements)
                number = group
            }
            statements.failures.insertFailure.bind((.job, job), (.operation, index), (.number, group))
            try statements.failures.insertFailure.run()
            statements.failures.countFailure.bind((.job, job), (.number, group))
            try statements.failures.countFailure.run()
        }
    }

    /// Returns the number of the group of a failure, a new group's if there is none.
    private static func group(of record: OperationRecord, _ statements: Statements) throws(SQLError) -> Int64 {
        statements.failures.standardErrorEnd.bind(record.id)
        statements.failures.standardErrorEnd.bind(.attempt, record.attempt)
        let end = try statements.failures.standardErrorEnd.first { row in row.optionalBytes(0) } ?? nil
        var kind = FailureKind(record, standardError: end ?? [])
        if let group = try group(kind, of: record.id.job, statements) { return group }
        statements.failures.lastFailureGroup.bind(.job, record.id.job.rawValue)
        let known = try statements.failures.lastFailureGroup.first { row throws(SQLError) in
            try row.number(0, as: Int64.self)
        }
        let last = known ?? 0
        if last >= mostGroupsWithLines {
            kind.line = ""
            if let group = try group(kind, of: record.id.job, statements) { return group }
        }
        let statement = statements.failures.insertFailureGroup
        typealias Column = FailureGroupColumn
        statement.bind(Column.job, record.id.job.rawValue)
        statement.bind(Column.number, last + 1)
        statement.bind(Column.reason, text: kind.reason.rawValue)
        statement.bind(Column.exitStatus, kind.exitStatus.map(Int64.init))
        statement.bind(Column.signal, kind.signal.map(Int64.init))
        statement.bind(Column.line, text: kind.line)
        statement.bind(Column.operations, 0)
        try statement.run()
        return last + 1
    }

    private static func group(
        _ kind: FailureKind,
        of job: JobNumber,
        _ statements: Statements
    ) throws(SQLError) -> Int64? {
        let statement = statements.failures.failureGroupOfKind
        statement.bind(.job, job.rawValue)
        statement.bind(.line, text: kind.line)
        statement.bind(.reason, text: kind.reason.rawValue)
        statement.bind(.exitStatus, kind.exitStatus.map(Int64.init))
        statement.bind(.signal, kind.signal.map(Int64.init))
        return try statement.first { row throws(SQLError) in try row.number(0) }
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
