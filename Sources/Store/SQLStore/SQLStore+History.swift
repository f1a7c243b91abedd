@_spi(Baton) public import BatonOperations

/// What happened in a job.
@_spi(Baton) extension SQLStore {
    /// Reads a part of a job's history.
    ///
    /// - Complexity: O(limit + attempts + dependencies of the part), times log operations.
    public func history(of job: JobNumber, from index: UInt32, limit: Int) throws(StoreError) -> HistoryPart? {
        try with { statements throws(SQLError) in
            statements.jobs.submission.bind(.job, job.rawValue)
            let head = try statements.jobs.submission.first { row throws(SQLError) in
                (
                    queueNames: try row.strings(SubmissionColumn.queueNames),
                    count: try row.number(SubmissionColumn.operations, as: UInt32.self)
                )
            }
            guard let head else { return nil }
            guard index < head.count, limit > 0 else {
                let end = min(index, head.count)
                return HistoryPart(range: end..<end, count: head.count)
            }
            let wanted = index..<index + UInt32(min(limit, Int(head.count - index)))
            var rows = try Self.entries(of: job, from: index, limit: wanted.count, statements)
            guard let last = rows.last?.range.upperBound, last >= wanted.upperBound - 1 else {
                throw .damaged("operation \(index) of the \(head.count) of job \(job), or one behind it, has no entry")
            }
            var end = wanted.upperBound
            var dependencies = 0
            for (position, row) in rows.enumerated() {
                dependencies += row.dependencies.count
                guard dependencies >= HistoryPage.mostDependencies else { continue }
                end = min(end, row.range.upperBound + 1)
                rows.removeSubrange((position + 1)...)
                break
            }
            let attempts = try Self.earlierAttempts(of: job, index..<end, statements)
            if attempts.count >= HistoryPage.mostAttempts, let last = attempts.last?.operation { end = last + 1 }
            let changes = try Self.changedDependencies(of: job, from: index, below: UInt64(end), statements)
            var entries: [HistoryEntry] = []
            for row in rows where row.first < end {
                guard head.queueNames.indices.contains(row.entry.queue) else {
                    throw .damaged("entry \(row.first) of job \(job) has a queue that is not there")
                }
                let range = max(row.first, index)...min(row.range.upperBound, end - 1)
                var entry = HistoryEntry(
                    first: row.first,
                    count: row.count,
                    name: row.entry.name,
                    queue: head.queueNames[row.entry.queue],
                    numbering: try Self.numbering(of: row, job, at: range, statements)
                )
                if row.first >= index { entry.dependencies = try Self.own(row.dependencies, job, statements) }
                if !changes.isEmpty {
                    for operation in range {
                        guard let items = changes[operation] else { continue }
                        entry.changes.append(
                            HistoryEntry.Change(
                                operation: operation,
                                dependencies: try Self.own(items, job, statements)
                            )
                        )
                    }
                }
                entries.append(entry)
            }
            return HistoryPart(
                entries: entries,
                operations: try self.operations(of: job, index..<end, count: head.count, statements),
                attempts: attempts,
                fetches: try Self.fetches(of: job, index..<end, statements),
                files: try Self.filesOfAttempts(of: job, index..<end, statements),
                range: index..<end,
                count: head.count
            )
        }
    }

    /// Returns the states of operations, from memory if all finished ones are there.
    private func operations(
        of job: JobNumber,
        _ range: Range<UInt32>,
        count: UInt32,
        _ statements: Statements
    ) throws(SQLError) -> [OperationHistory] {
        if let known = histories.histories(of: job, in: range) { return known }
        let read = try Self.histories(of: job, from: range.lowerBound, below: range.upperBound, statements)
        histories.note(read, of: job, count: count)
        return read
    }

    /// Returns the states of operations, without what a record knows besides.
    ///
    /// - Complexity: O(rows), some 0.7 microseconds each: a question about a job of a million operations consists of this.
    private static func histories(
        of job: JobNumber,
        from index: UInt32,
        below end: UInt32,
        _ statements: Statements
    ) throws(SQLError) -> [OperationHistory] {
        statements.operations.extentCovering.bind((.job, job.rawValue), (.operation, index))
        let covering = try statements.operations.extentCovering.first { row throws(SQLError) in
            (first: try row.number(0, as: UInt32.self), last: try row.number(1, as: UInt32.self))
        }
        let start = covering.flatMap { $0.last >= index ? $0.first : nil } ?? index
        var histories: [OperationHistory] = []
        histories.reserveCapacity(Int(end - index))
        /// The first index behind the operations so far.
        var next = start
        func append(_ history: OperationHistory, of row: Statement) throws(SQLError) {
            guard history.first >= next else { throw row.damaged(HistoryColumn.first) }
            next = history.range.upperBound
            histories.append(history)
        }
        // Up to the first operation that has not succeeded, fewer columns are enough.
        var isAtEnd = true
        statements.operations.successesFrom.bind((.job, job.rawValue), (.from, start), (.end, end))
        try statements.operations.successesFrom.forEach { row throws(SQLError) in
            guard let history = try row.successHistory() else {
                isAtEnd = false
                return false
            }
            try append(history, of: row)
            return true
        }
        guard !isAtEnd else { return histories }
        statements.operations.historiesFrom.bind((.job, job.rawValue), (.from, next), (.end, end))
        try statements.operations.historiesFrom.forEach { row throws(SQLError) in
            try append(try row.operationHistory(), of: row)
            return true
        }
        return histories
    }

    /// Returns the attempts that ended before their operations; those of the last operation may exceed the most of a page.
    private static func earlierAttempts(
        of job: JobNumber,
        _ range: Range<UInt32>,
        _ statements: Statements
    ) throws(SQLError) -> [EarlierAttempt] {
        var attempts: [EarlierAttempt] = []
        statements.operations.attemptsFrom.bind(
            (.job, job.rawValue),
            (.from, range.lowerBound),
            (.end, range.upperBound)
        )
        try statements.operations.attemptsFrom.forEach { row throws(SQLError) in
            let operation: UInt32 = try row.number(AttemptColumn.operation)
            guard attempts.count < HistoryPage.mostAttempts || attempts.last?.operation == operation else {
                return false
            }
            attempts.append(EarlierAttempt(try row.attemptRecord(), of: operation))
            return true
        }
        return attempts
    }

    /// Returns the dependencies on operations of the same job.
    private static func own(
        _ items: [DependencyText.Item],
        _ job: JobNumber,
        _ statements: Statements
    ) throws(SQLError) -> [HistoryDependency] {
        var own: [HistoryDependency] = []
        for dependency in try dependencies(items, job, statements) where dependency.target.job == job {
            switch dependency.target {
            case .operation(let id):
                own.append(
                    HistoryDependency(
                        first: id.index,
                        count: max(1, dependency.count),
                        condition: dependency.condition,
                        isElementwise: dependency.isElementwise
                    )
                )
            case .named(_, let name):
                guard let range = try operations(named: name, in: job, statements), !range.isEmpty else { continue }
                own.append(
                    HistoryDependency(
                        first: range.lowerBound,
                        count: UInt32(range.count),
                        condition: dependency.condition
                    )
                )
            case .job, .operations: continue
            }
        }
        return own
    }

    private static func numbering(
        of row: EntryRow,
        _ job: JobNumber,
        at range: ClosedRange<UInt32>,
        _ statements: Statements
    ) throws(SQLError) -> HistoryEntry.Numbering {
        switch row.elements {
        case .none: return .none
        case .numbers(let first, let step): return .steps(first: first, step: step)
        case .lines: return .steps(first: 0, step: 1)
        case .picked:
            // Only the names of elements show their numbers.
            guard row.entry.name != nil else { return .each(position: range.lowerBound - row.first, []) }
            let positions = (range.lowerBound - row.first)...(range.upperBound - row.first)
            let elements = try items(of: row, job, positions: positions, statements)
            return .each(position: positions.lowerBound, elements.map(\.number))
        }
    }
}
