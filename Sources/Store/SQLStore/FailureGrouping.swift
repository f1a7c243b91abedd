@_spi(Baton) import BatonOperations

/// The groups of the failures of one commit, each of which is looked for once.
struct FailureGrouping {
    /// The most groups of a job whose lines make a difference; a job could have as many as operations.
    private static let mostGroupsWithLines: Int64 = 500

    private struct Group: Hashable {
        var job: JobNumber
        var number: Int64
    }

    private struct Kind: Hashable {
        var job: JobNumber
        var kind: FailureKind
    }

    /// The groups of the kinds that were met.
    private var numbers: [Kind: Int64] = [:]
    /// The highest number of a group of each job that was met.
    private var last: [JobNumber: Int64] = [:]
    /// How many failures are new in each group, in the order of the groups' first failures.
    private var counts: [(group: Group, count: Int)] = []
    /// The places of groups in the counts.
    private var places: [Group: Int] = [:]
    /// The operations that this commit has put into a group, where the record is not asked about each.
    private var noted: Set<OperationID> = []

    /// Puts the operations of a record into the group of their failure; an operation in a group stays there.
    ///
    /// - Parameter facts: what a server has told about the record; nil to ask about each operation.
    mutating func note(
        _ record: OperationRecord,
        _ facts: FailureFacts?,
        _ statements: Statements
    ) throws(SQLError) {
        let job = record.id.job
        var number: Int64?
        let statement = statements.failures.insertFailure
        for index in record.id.index...record.lastIndex {
            if let facts {
                guard !facts.known.contains(index), noted.insert(OperationID(job: job, index: index)).inserted else {
                    continue
                }
            } else {
                statements.failures.groupOfFailure.bind((.job, job.rawValue), (.operation, index))
                if try statements.failures.groupOfFailure.first({ _ in true }) == true { continue }
            }
            let group: Int64
            if let number {
                group = number
            } else {
                group = try self.group(of: record, facts, statements)
                number = group
            }
            statement.bind(FailureColumn.job, job.rawValue)
            statement.bind(FailureColumn.operation, index)
            statement.bind(FailureColumn.number, group)
            try statement.run()
            count(Group(job: job, number: group))
        }
    }

    private mutating func count(_ group: Group) {
        let place = places[group] ?? counts.count
        if place == counts.count {
            places[group] = place
            counts.append((group, 0))
        }
        counts[place].count += 1
    }

    /// Adds the new failures to the counts of their groups.
    func end(_ statements: Statements) throws(SQLError) {
        for (group, count) in counts {
            statements.failures.countFailures.bind(
                (.job, group.job.rawValue),
                (.number, group.number),
                (.count, count)
            )
            try statements.failures.countFailures.run()
        }
    }

    /// Returns the number of the group of a failure, a new group's if there is none.
    private mutating func group(
        of record: OperationRecord,
        _ facts: FailureFacts?,
        _ statements: Statements
    ) throws(SQLError) -> Int64 {
        let end = if let facts { facts.standardErrorEnd } else { try Self.standardErrorEnd(of: record, statements) }
        let kind = Kind(job: record.id.job, kind: FailureKind(record, standardError: end ?? []))
        if let known = numbers[kind] { return known }
        let number = try self.number(of: kind, statements)
        numbers[kind] = number
        return number
    }

    private static func standardErrorEnd(
        of record: OperationRecord,
        _ statements: Statements
    ) throws(SQLError) -> [UInt8]? {
        statements.failures.standardErrorEnd.bind(record.id)
        statements.failures.standardErrorEnd.bind(.attempt, record.attempt)
        return try statements.failures.standardErrorEnd.first { row in row.optionalBytes(0) } ?? nil
    }

    /// Looks for the group of a kind that this commit has not met, and makes a missing one.
    private mutating func number(of kind: Kind, _ statements: Statements) throws(SQLError) -> Int64 {
        if let group = try Self.group(kind.kind, of: kind.job, statements) { return group }
        var kind = kind
        let last = try lastGroup(of: kind.job, statements)
        if last >= Self.mostGroupsWithLines {
            kind.kind.line = ""
            if let known = numbers[kind] { return known }
            if let group = try Self.group(kind.kind, of: kind.job, statements) { return group }
        }
        let statement = statements.failures.insertFailureGroup
        typealias Column = FailureGroupColumn
        statement.bind(Column.job, kind.job.rawValue)
        statement.bind(Column.number, last + 1)
        statement.bind(Column.reason, text: kind.kind.reason.rawValue)
        statement.bind(Column.exitStatus, kind.kind.exitStatus.map(Int64.init))
        statement.bind(Column.signal, kind.kind.signal.map(Int64.init))
        statement.bind(Column.line, text: kind.kind.line)
        statement.bind(Column.operations, 0)
        try statement.run()
        self.last[kind.job] = last + 1
        numbers[kind] = last + 1
        return last + 1
    }

    /// The highest number of a job's groups; 0 for none.
    private mutating func lastGroup(of job: JobNumber, _ statements: Statements) throws(SQLError) -> Int64 {
        if let known = last[job] { return known }
        statements.failures.lastFailureGroup.bind(.job, job.rawValue)
        let found = try statements.failures.lastFailureGroup.first { row throws(SQLError) in
            try row.number(0, as: Int64.self)
        }
        last[job] = found ?? 0
        return found ?? 0
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
}
