@_spi(Baton) import BatonJSON
@_spi(Baton) public import BatonOperations

@_spi(Baton) extension SQLStore {
    /// Looks a job up by its key.
    ///
    /// - Complexity: O(log jobs).
    public func job(withKey key: String) throws(StoreError) -> JobSummary? {
        try with { statements throws(SQLError) in
            for spelling in Name.spellings(of: key) {
                statements.jobs.jobWithKey.bind(.key, text: spelling)
                let job = try statements.jobs.jobWithKey.first { row throws(SQLError) in try row.jobSummary() }
                if let job { return job }
            }
            return nil
        }
    }

    /// Looks a job up by its number.
    ///
    /// - Complexity: O(log jobs).
    public func job(_ number: JobNumber) throws(StoreError) -> JobSummary? {
        try with { statements throws(SQLError) in
            statements.jobs.job.bind(.job, number.rawValue)
            return try statements.jobs.job.first { row throws(SQLError) in try row.jobSummary() }
        }
    }

    /// Reads a page of jobs.
    ///
    /// - Complexity: O(limit + log jobs).
    public func jobs(before: JobNumber?, limit: Int) throws(StoreError) -> [JobSummary] {
        try with { statements throws(SQLError) in
            var page: [JobSummary] = []
            statements.jobs.jobsBelow.bind(.end, before.map { Int64($0.rawValue) } ?? .max)
            statements.jobs.jobsBelow.bind(.limit, max(0, limit))
            try statements.jobs.jobsBelow.forEach { row throws(SQLError) in
                page.append(try row.jobSummary())
                return true
            }
            return page
        }
    }

    /// Counts the jobs below a number.
    ///
    /// - Complexity: O(jobs), at some ten million a second.
    public func jobCount(before: JobNumber) throws(StoreError) -> Int {
        try with { statements throws(SQLError) in
            statements.jobs.jobCount.bind(.end, before.rawValue)
            return try statements.jobs.jobCount.first { row throws(SQLError) in try row.number(0) } ?? 0
        }
    }

    /// Counts the operations of a queue that were finished at a moment or later.
    ///
    /// - Complexity: O(operations of the jobs unfinished at the moment).
    public func counts(ofQueue queue: String, finishedSince moment: RecordMoment) throws(StoreError) -> JobCounts {
        try with { statements throws(SQLError) in
            var jobs: [UInt32] = []
            statements.jobs.jobsFinishedSince.bind(.since, moment.earliestClock.rawValue)
            let earliest = moment.earliestTime(clockOffset: .microseconds(clockOffset))
            for statement in [statements.jobs.unfinishedJobs, statements.jobs.jobsFinishedSince] {
                try statement.forEach { row throws(SQLError) in
                    jobs.append(try row.number(0))
                    return true
                }
            }
            var counts = JobCounts()
            for (job, queue) in jobs.flatMap({ job in Name.spellings(of: queue).map { (job, $0) } }) {
                statements.times.endsInQueue.bind((.job, job), (.since, earliest.rawValue))
                statements.times.endsInQueue.bind(.name, text: queue)
                try statements.times.endsInQueue.forEach { row throws(SQLError) in
                    let outcome: Outcome = try row.word(0)
                    var record = OperationRecord(id: OperationID(job: JobNumber(job), index: 0), state: .finished)
                    record.outcome = outcome
                    if outcome == .skipped { record.skippedFor = try row.skippedFor(reason: 2, root: 3) }
                    counts.add(try row.number(1), of: record)
                    return true
                }
            }
            return counts
        }
    }

    /// Returns the names of the queues that a job's operations are in.
    ///
    /// - Complexity: O(1).
    public func queues(of job: JobNumber) throws(StoreError) -> [String] {
        try with { statements throws(SQLError) in
            statements.jobs.submission.bind(.job, job.rawValue)
            return try statements.jobs.submission.first { row throws(SQLError) in
                try row.strings(SubmissionColumn.queueNames)
            } ?? []
        }
    }

    /// Lists the retries of a job.
    ///
    /// - Complexity: O(log jobs) for each.
    public func retries(of job: JobNumber) throws(StoreError) -> [JobNumber] {
        try with { statements throws(SQLError) in
            var retries: [JobNumber] = []
            statements.jobs.retries.bind(.job, job.rawValue)
            try statements.jobs.retries.forEach { row throws(SQLError) in
                retries.append(JobNumber(try row.number(0)))
                return true
            }
            return retries
        }
    }

    /// Looks an operation, or an array, up by its name.
    ///
    /// - Complexity: O(log entries).
    public func operations(named name: String, in job: JobNumber) throws(StoreError) -> Range<UInt32>? {
        try with { statements throws(SQLError) in try Self.operations(named: name, in: job, statements) }
    }

    /// Lists names.
    ///
    /// - Complexity: O(entries that are read).
    public func names(of job: JobNumber, from index: UInt32, limit: Int) throws(StoreError) -> [NamedOperations] {
        try with { statements throws(SQLError) in
            var names: [NamedOperations] = []
            statements.entries.namesFrom.bind((.job, job.rawValue), (.from, index), (.limit, max(0, limit)))
            try statements.entries.namesFrom.forEach { row throws(SQLError) in
                let first: UInt32 = try row.number(0)
                let count: UInt32 = try row.number(1)
                guard count > 0, !first.addingReportingOverflow(count).overflow else { throw row.damaged(1) }
                names.append(NamedOperations(name: try row.text(2), operations: first..<first + count))
                return true
            }
            return names
        }
    }

    /// Returns the end of a finished operation or job.
    ///
    /// - Complexity: O(log operations), for a whole job too.
    public func dependencyEnd(of address: Address) throws(StoreError) -> DependencyEnd? {
        try with { statements throws(SQLError) in try Self.dependencyEnd(of: address, statements) }
    }

    /// Reads the earlier attempts of an operation.
    ///
    /// - Complexity: O(log attempts), for at most ``AttemptRecord/maximumCount`` attempts.
    public func attempts(of operation: OperationID) throws(StoreError) -> [AttemptRecord] {
        try with { statements throws(SQLError) in
            guard try Self.exists(operation.job, statements) else { return [] }
            var attempts: [AttemptRecord] = []
            statements.operations.attempts.bind(operation)
            try statements.operations.attempts.forEach { row throws(SQLError) in
                attempts.append(try row.attemptRecord())
                return true
            }
            return attempts
        }
    }

    /// Reads the output of an attempt.
    ///
    /// - Complexity: O(log outputs).
    public func output(of operation: OperationID, attempt: UInt32?) throws(StoreError) -> AttemptOutput? {
        try with { statements throws(SQLError) in
            guard try Self.exists(operation.job, statements) else { return nil }
            let statement = attempt == nil ? statements.outputs.lastOutput : statements.outputs.output
            statement.bind(operation)
            if let attempt { statement.bind(.attempt, attempt) }
            return try statement.first { row throws(SQLError) in try row.attemptOutput() }
        }
    }

    /// Reads outputs.
    ///
    /// - Complexity: O(the outputs of the operations · log outputs), up to the one that ends the reading.
    public func outputs(
        of job: JobNumber,
        matching query: OutputQuery,
        _ body: (UInt32, AttemptOutput) -> Bool
    ) throws(StoreError) {
        try with { statements throws(SQLError) in
            guard try Self.exists(job, statements) else { return }
            let statement = statements.outputs.outputsFrom
            statement.bind((.job, job.rawValue), (.from, query.operations.lowerBound))
            statement.bind(.end, query.operations.upperBound)
            statement.bind(.afterAttempt, query.afterAttempt)
            statement.bind(.attempt, query.attempt.map(Int64.init))
            statement.bind(.wantsStdout, query.wantsStandardOutput ? 1 : 0)
            statement.bind(.wantsStderr, query.wantsStandardError ? 1 : 0)
            statement.bind(.isLastOnly, query.isLastOnly ? 1 : 0)
            try statement.forEach { row throws(SQLError) in
                let output = AttemptOutput(
                    attempt: try row.number(1),
                    standardOutput: OutputTail(totalLength: try row.number(2), bytes: row.optionalBytes(3) ?? []),
                    standardError: OutputTail(totalLength: try row.number(4), bytes: row.optionalBytes(5) ?? []),
                    result: nil
                )
                return body(try row.number(0), output)
            }
        }
    }

    /// Reads which attempts left no output because they were lost.
    ///
    /// - Complexity: O(the attempts that did not end their operations + the failed operations · log operations), of the range.
    public func lostOutputs(
        of job: JobNumber,
        in operations: Range<UInt32>,
        limit: Int
    ) throws(StoreError) -> [LostOutput] {
        try with { statements throws(SQLError) in
            guard limit > 0, try Self.exists(job, statements) else { return [] }
            var lost: [LostOutput] = []
            for (statement, isLast) in [
                (statements.outputs.lostOutputs, false), (statements.outputs.lostLastOutputs, true),
            ] {
                var room = limit
                statement.bind((.job, job.rawValue), (.from, operations.lowerBound), (.end, operations.upperBound))
                try statement.forEach { row throws(SQLError) in
                    let (operation, attempt) = (try row.number(0, as: UInt32.self), try row.number(1, as: UInt32.self))
                    lost.append(LostOutput(operation: operation, attempt: attempt, isLast: isLast))
                    room -= 1
                    return room > 0
                }
            }
            lost.sort { ($0.operation, $0.attempt) < ($1.operation, $1.attempt) }
            return Array(lost.prefix(limit))
        }
    }

    /// Reads the result of an operation.
    ///
    /// - Complexity: O(log outputs).
    public func result(of operation: OperationID) throws(StoreError) -> [UInt8]? {
        try with { statements throws(SQLError) in
            guard try Self.exists(operation.job, statements),
                let record = try Self.record(of: operation, statements), record.hasResult
            else { return nil }
            statements.outputs.result.bind(operation)
            statements.outputs.result.bind(.attempt, record.attempt)
            return try statements.outputs.result.first { row in row.optionalBytes(0) } ?? nil
        }
    }

    // MARK: Parts that several queries share

    static func operations(
        named name: String,
        in job: JobNumber,
        _ statements: Statements
    ) throws(SQLError) -> Range<UInt32>? {
        guard try exists(job, statements) else { return nil }
        for spelling in Name.spellings(of: name) {
            statements.entries.entryNamed.bind(.job, job.rawValue)
            statements.entries.entryNamed.bind(.name, text: spelling)
            let range = try statements.entries.entryNamed.first { row throws(SQLError) in
                let first: UInt32 = try row.number(0)
                let count: UInt32 = try row.number(1)
                return first..<(first + min(count, .max - first))
            }
            if let range { return range }
        }
        return nil
    }

    static func dependencyEnd(of address: Address, _ statements: Statements) throws(SQLError) -> DependencyEnd? {
        try finish(of: address, statements)?.end
    }

    /// Returns the end of a finished operation, array or job, and when it finished.
    static func finish(
        of address: Address,
        _ statements: Statements
    ) throws(SQLError) -> (end: DependencyEnd, time: Timestamp?)? {
        switch address {
        // No dependency is on a range.
        case .operations: return nil
        case .job(let job):
            statements.jobs.job.bind(.job, job.rawValue)
            let summary = try statements.jobs.job.first { row throws(SQLError) in try row.jobSummary() }
            guard let summary, let ending = summary.ending else { return nil }
            statements.jobs.endedJob.bind(.job, job.rawValue)
            let found = try statements.jobs.endedJob.first { row throws(SQLError) in
                (hasResult: try row.flag(0), hasFiles: try row.flag(1))
            }
            guard let found else { return nil }
            var end = DependencyEnd(ending, hasResult: found.hasResult)
            end.hasFiles = found.hasFiles
            return (end, summary.finishedAt)
        case .named(let job, let name):
            guard let range = try operations(named: name, in: job, statements) else { return nil }
            guard range.count != 1 else {
                return try finish(of: .operation(OperationID(job: job, index: range.lowerBound)), statements)
            }
            var fates: [DependencyEnd: Int] = [:]
            var time: Timestamp?
            statements.operations.operationsFrom.bind((.job, job.rawValue), (.from, range.lowerBound))
            try statements.operations.operationsFrom.forEach { row throws(SQLError) in
                let record = try row.operationRecord(of: job)
                guard range.contains(record.id.index) else { return false }
                if let fate = record.dependencyEnd { fates[fate, default: 0] += Int(record.count) }
                if let end = record.finishedAt { time = max(time ?? end, end) }
                return true
            }
            return DependencyEnd(ofArray: range.count, fates).map { ($0, time) }
        case .operation(let operation):
            guard try exists(operation.job, statements),
                let record = try record(of: operation, statements)?.single(at: operation.index),
                let end = record.dependencyEnd
            else { return nil }
            return (end, record.finishedAt)
        }
    }

    /// Whether a job exists; other rows of a removed job may remain for a while.
    static func exists(_ job: JobNumber, _ statements: Statements) throws(SQLError) -> Bool {
        statements.jobs.jobExists.bind(.job, job.rawValue)
        return try statements.jobs.jobExists.first { _ in true } ?? false
    }

    /// Returns the record of an operation, possibly a record of its neighbours too.
    static func record(of operation: OperationID, _ statements: Statements) throws(SQLError) -> OperationRecord? {
        statements.operations.operationCovering.bind(operation)
        let record = try statements.operations.operationCovering.first { row throws(SQLError) in
            try row.operationRecord(of: operation.job)
        }
        guard let record, record.lastIndex >= operation.index else { return nil }
        return record
    }

    /// Returns the lines of an array at some positions.
    static func items(
        of entry: EntryRow,
        _ job: JobNumber,
        positions: ClosedRange<UInt32>,
        _ statements: Statements
    ) throws(SQLError) -> [ArrayValues.Element] {
        var items: [ArrayValues.Element] = []
        statements.entries.items.bind((.job, job.rawValue), (.entry, entry.first))
        // The first line may stand anywhere in its row.
        statements.entries.items.bind(.first, Int64(positions.lowerBound) - Int64(itemsPerRow) + 1)
        statements.entries.items.bind(.last, positions.upperBound)
        try statements.entries.items.forEach { row throws(SQLError) in
            typealias Column = ItemColumn
            let start: Int64 = try row.number(Column.position)
            let texts = try row.strings(Column.items)
            let numbers = row.isNull(Column.numbers) ? nil : try row.json(Column.numbers).integers
            guard entry.hasNumbers ? numbers?.count == texts.count : row.isNull(Column.numbers) else {
                throw row.damaged(Column.numbers)
            }
            for (offset, text) in texts.enumerated() {
                let position = start + Int64(offset)
                guard position >= positions.lowerBound, position <= positions.upperBound else { continue }
                guard position == Int64(positions.lowerBound) + Int64(items.count) else {
                    throw row.damaged(Column.position)
                }
                items.append(ArrayValues.Element(number: numbers?[offset] ?? position, item: text))
            }
            return true
        }
        guard items.count == positions.count else {
            throw .damaged("lines of the array \(job)/\(entry.first) are missing")
        }
        return items
    }
}
