@_spi(Baton) import BatonJSON
@_spi(Baton) public import BatonOperations

/// Jobs as the scheduler takes them back from the record: as they were submitted, with all that has changed since.
@_spi(Baton) extension SQLStore {
    /// Reads a job as a whole.
    ///
    /// - Complexity: O(its entries and records).
    public func restoredJob(_ number: JobNumber) throws(StoreError) -> RestoredJob? {
        var acceptedAt: [Timestamp] = []
        return try with { statements throws(SQLError) in
            try Self.restoredJob(number, isUnfinished: false, &acceptedAt, statements)
        }
    }

    /// Reads a job with the records of its operations.
    ///
    /// - Parameter acceptedAt: receives when the job, and then each of its additions, was accepted, by the clock that users see.
    static func restoredJob(
        _ number: JobNumber,
        isUnfinished: Bool,
        _ acceptedAt: inout [Timestamp],
        _ statements: Statements
    ) throws(SQLError) -> RestoredJob? {
        guard var restored = try jobWithoutRecords(number, isUnfinished: isUnfinished, &acceptedAt, statements) else {
            return nil
        }
        let count = restored.job.submission.operationCount
        statements.operations.operationsFrom.bind((.job, number.rawValue), (.from, 0))
        try statements.operations.operationsFrom.forEach { row throws(SQLError) in
            let record = try row.operationRecord(of: number)
            if let previous = restored.records.last, previous.lastIndex >= record.id.index {
                throw row.damaged(OperationColumn.first)
            }
            guard record.lastIndex < count else { throw row.damaged(OperationColumn.last) }
            restored.records.append(record)
            return true
        }
        restored.limits = try grownLimits(of: restored.job, statements)
        restored.files = try fileSources(of: number, in: 0...UInt32.max, statements)
        return restored
    }

    /// Reads a job without the records and files of its operations.
    static func jobWithoutRecords(
        _ number: JobNumber,
        isUnfinished: Bool,
        _ acceptedAt: inout [Timestamp],
        _ statements: Statements
    ) throws(SQLError) -> RestoredJob? {
        statements.jobs.submission.bind(.job, number.rawValue)
        var mayMissAttempts = false
        var count: UInt32 = 0
        let job = try statements.jobs.submission.first { row throws(SQLError) in
            typealias Column = SubmissionColumn
            count = try row.number(Column.operations)
            guard !isUnfinished || row.isNull(Column.finishedAt) else {
                throw .damaged("job \(number) is among the unfinished ones, and has an end")
            }
            var submission = Submission(
                name: try row.optionalText(Column.name),
                key: try row.optionalText(Column.key),
                templates: [],
                entries: []
            )
            let submittedAt = try row.time(Column.submittedClock)
            acceptedAt = [try row.time(Column.submittedAt)]
            submission.queueNames = try row.strings(Column.queueNames)
            guard case .array(let changes) = try row.json(Column.queueChanges) else {
                throw row.damaged(Column.queueChanges)
            }
            for change in changes {
                guard let change = QueueChange(change) else { throw row.damaged(Column.queueChanges) }
                submission.queueChanges.append(change)
            }
            let order: UInt64 = try row.number(Column.firstOrder)
            guard order < UInt64(1) << 56 else { throw row.damaged(Column.firstOrder) }
            submission.retryOf = try row.optional(Column.retryOf, as: UInt32.self).map { JobNumber($0) }
            submission.keyDigest = try row.optional(Column.keyDigest, as: Int64.self).map { UInt64(bitPattern: $0) }
            submission.settings = try row.jobSettings(Column.settings)
            submission.isOpen = try row.flag(Column.isOpen)
            mayMissAttempts = try row.flag(Column.mayMissAttempts)
            return JobRecord(
                number: number,
                submittedAt: submittedAt,
                submittedBy: try row.optionalText(Column.submittedBy),
                order: order,
                submission: submission
            )
        }
        guard var job else { return nil }
        statements.entries.templates.bind(.job, number.rawValue)
        try statements.entries.templates.forEach { row throws(SQLError) in
            guard try row.number(TemplateColumn.template) == job.submission.templates.count else {
                throw row.damaged(TemplateColumn.template)
            }
            job.submission.templates.append(try row.template())
            return true
        }
        let operations = try readEntries(of: &job, statements)
        let additions = try additions(of: number, &acceptedAt, statements)
        // A job may be opened without operations.
        guard operations == count, count > 0 || job.submission.isOpen || !isUnfinished else {
            throw .damaged("job \(number) has \(count) operations, and its entries are of \(operations)")
        }
        return RestoredJob(
            job: job,
            records: [],
            dependencies: try changedDependencies(of: job, statements),
            commands: try changedCommands(of: number, below: UInt64(operations), statements),
            additions: additions,
            mayMissAttempts: mayMissAttempts
        )
    }

    /// Adds the entries to a job that already has its templates and queue names.
    ///
    /// - Returns: how many operations the entries contain.
    private static func readEntries(of job: inout JobRecord, _ statements: Statements) throws(SQLError) -> UInt32 {
        var rows: [EntryRow] = []
        var next: UInt32 = 0
        statements.entries.entriesFrom.bind((.job, job.number.rawValue), (.from, 0))
        try statements.entries.entriesFrom.forEach { row throws(SQLError) in
            let entry = try EntryRow(row)
            guard entry.first == next else {
                throw .damaged("entry \(entry.first) of job \(job.number) does not follow operation \(next)")
            }
            next = entry.first + entry.count
            rows.append(entry)
            return true
        }
        let firsts = rows.map(\.first)
        let hasArrays = rows.count != Int(next)
        job.submission.entries.reserveCapacity(rows.count)
        for row in rows {
            guard job.submission.templates.indices.contains(row.entry.template),
                job.submission.queueNames.indices.contains(row.entry.queue)
            else { throw .damaged("entry \(row.first) of job \(job.number) has a template or queue that is not there") }
            var entry = row.entry
            entry.array = try array(of: row, job.number, statements)
            entry.dependencies.reserveCapacity(row.dependencies.count)
            for item in row.dependencies {
                switch item.target {
                case .other(let address):
                    entry.dependencies.append(Dependency(on: .existing(address), condition: item.condition))
                case .otherElements(let other, let range):
                    let target = Dependency.Target.existingElements(.operations(other, range))
                    entry.dependencies.append(Dependency(on: target, condition: item.condition))
                case .sameJob(let first), .sameJobElements(let first):
                    guard let position = hasArrays ? firsts.binarySearch(first) : Int(first), position < rows.count
                    else {
                        throw .damaged("an operation of job \(job.number) depends on \(first), where no entry starts")
                    }
                    let isElementwise = item.target == .sameJobElements(first)
                    guard !isElementwise || row.count == rows[position].count else {
                        throw .damaged("arrays of job \(job.number) depend on each other, and have other lengths")
                    }
                    let target: Dependency.Target = isElementwise ? .elements(position) : .entry(position)
                    entry.dependencies.append(Dependency(on: target, condition: item.condition))
                }
            }
            job.submission.entries.append(entry)
        }
        return next
    }

    private static func array(
        of row: EntryRow,
        _ job: JobNumber,
        _ statements: Statements
    ) throws(SQLError) -> ArrayValues? {
        switch row.elements {
        case .none: nil
        case .numbers(let first, let step): .numbers(first: first, step: step, count: Int(row.count))
        case .lines: .lines(try items(of: row, job, positions: 0...(row.count - 1), statements).map(\.item))
        case .picked: .picked(try items(of: row, job, positions: 0...(row.count - 1), statements))
        }
    }
}

extension [RestoredJob] {
    /// The existing operations and jobs on which operations of these jobs depend.
    package var existingDependencies: Set<Address> {
        var addresses: Set<Address> = []
        for job in self {
            for entry in job.job.submission.entries {
                addresses.formUnion(entry.dependencies.lazy.compactMap(\.target.address))
            }
            for dependencies in job.dependencies.values {
                addresses.formUnion(dependencies.lazy.compactMap(\.target.address))
            }
        }
        return addresses
    }
}

extension [UInt32] {
    /// Returns the position of a value in an ascending array; nil for a missing value.
    func binarySearch(_ value: UInt32) -> Int? {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low] == value ? low : nil
    }
}
