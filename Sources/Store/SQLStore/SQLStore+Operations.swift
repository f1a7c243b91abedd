@_spi(Baton) public import BatonOperations

@_spi(Baton) extension SQLStore {
    /// Reads a page of a job's operations.
    ///
    /// - Complexity: O(limit + log operations), plus the dependencies of the operations.
    public func operations(of job: JobNumber, from index: UInt32, limit: Int) throws(StoreError) -> [StoredOperation] {
        try with { statements throws(SQLError) in
            let page = try Self.operations(of: job, from: index, limit: limit, statements)
            guard try Self.isFinished(job, statements) else { return page }
            for operation in page where operation.record.state != .finished {
                throw .damaged("job \(job) is finished, and its operation \(operation.record.id) is not")
            }
            return page
        }
    }

    /// Whether a job is finished.
    static func isFinished(_ job: JobNumber, _ statements: Statements) throws(SQLError) -> Bool {
        statements.jobs.submission.bind(.job, job.rawValue)
        return try statements.jobs.submission.first { row in !row.isNull(SubmissionColumn.finishedAt) } ?? false
    }

    static func operations(
        of job: JobNumber,
        from index: UInt32,
        limit: Int,
        _ statements: Statements
    ) throws(SQLError) -> [StoredOperation] {
        guard limit > 0 else { return [] }
        statements.jobs.submission.bind(.job, job.rawValue)
        let head = try statements.jobs.submission.first { row throws(SQLError) in
            (
                submittedAt: try row.time(SubmissionColumn.submittedAt),
                queueNames: try row.strings(SubmissionColumn.queueNames),
                count: try row.number(SubmissionColumn.operations, as: UInt32.self)
            )
        }
        guard let head, index < head.count else { return [] }
        let entries = try Self.entries(of: job, from: index, limit: limit, statements)
        let end = min(UInt64(head.count), UInt64(index) + UInt64(min(limit, Int(UInt32.max))))
        // Callers continue behind the last returned operation.
        guard let last = entries.last?.range.upperBound, last < head.count, UInt64(last) + 1 >= end else {
            throw .damaged("operation \(index) of the \(head.count) of job \(job), or one behind it, has no entry")
        }
        var records = try Self.records(of: job, from: index, below: end, statements)[...]
        let changed = try changedDependencies(of: job, from: index, below: end, statements)
        let commands = try changedCommands(of: job, from: index, below: end, statements)
        var templates: [Int: Template] = [:]
        let hasAdditions = try Self.additionTime(of: OperationID(job: job, index: last), statements) != nil
        var page: [StoredOperation] = []
        for entry in entries {
            let positions = max(entry.first, index)...min(entry.range.upperBound, UInt32(end - 1))
            let submitted = entry.entry
            let template = try Self.template(submitted.template, of: job, &templates, statements)
            guard head.queueNames.indices.contains(submitted.queue) else {
                throw .damaged("entry \(entry.first) of job \(job) has a queue that is not there")
            }
            let dependencies = try Self.dependencies(entry.dependencies, job, statements)
            let areElementwise = dependencies.contains(where: \.isElementwise)
            let elements = try Self.elements(of: entry, job, at: positions, statements)
            let first = OperationID(job: job, index: entry.first)
            let addedAt = hasAdditions ? try Self.additionTime(of: first, statements) : nil
            for (offset, index) in positions.enumerated() {
                let own = try changed[index].map { items throws(SQLError) in
                    try Self.dependencies(items, job, statements)
                }
                while let record = records.first, record.lastIndex < index { records.removeFirst() }
                var untouched = OperationRecord(id: OperationID(job: job, index: index))
                untouched.isHeld = submitted.isHeld
                let common =
                    areElementwise ? dependencies.map { $0.ofElement(at: index - entry.first) } : dependencies
                let known = records.first.flatMap { $0.id.index <= index ? $0.single(at: index) : nil } ?? untouched
                page.append(
                    StoredOperation(
                        record: known,
                        entry: submitted,
                        queue: head.queueNames[submitted.queue],
                        template: commands[index].map { template.running($0) } ?? template,
                        dependencies: own ?? common,
                        arrayNumber: elements?[offset].number,
                        arrayItem: elements?[offset].item,
                        submittedAt: addedAt ?? head.submittedAt
                    )
                )
            }
        }
        return page
    }

    /// Finds the dependencies with results.
    ///
    /// - Complexity: O(the dependencies and their results, times log operations), and with names by items O(elements of the arrays).
    public func dependenciesWithResults(
        of operation: OperationID,
        calledBy naming: InputNaming
    ) throws(StoreError) -> [ResultSource] {
        try with { statements throws(SQLError) in
            try Self.namedInputs(of: operation, calledBy: naming, statements).filter(\.hasResult).map(\.result)
        }
    }

    /// Returns the dependencies of an operation, with later changes; nil for a missing operation.
    static func presentDependencies(
        of operation: OperationID,
        _ statements: Statements
    ) throws(SQLError) -> [StoredDependency]? {
        let job = operation.job
        guard let entry = try entries(of: job, from: operation.index, limit: 1, statements).first else { return nil }
        statements.operations.dependencies.bind((.job, job.rawValue), (.operation, operation.index))
        let changed = try statements.operations.dependencies.first { row throws(SQLError) in
            try row.withBytes(0) { bytes throws(SQLError) in try DependencyText.read(bytes) }
        }
        return try dependencies(changed ?? entry.dependencies, job, statements)
            .map { $0.ofElement(at: operation.index - entry.first) }
    }

    /// Returns the operations that dependencies cover, in the order of the dependencies.
    static func inputSources(
        _ dependencies: [StoredDependency],
        _ statements: Statements
    ) throws(SQLError) -> [InputNames.Source] {
        var sources: [InputNames.Source] = []
        for dependency in dependencies {
            let job = dependency.target.job
            let range: ClosedRange<UInt32>
            switch dependency.target {
            case .job:
                sources.append(InputNames.Source(wholeJob: job))
                continue
            case .operation(let id): range = id.index...(id.index + max(1, dependency.count) - 1)
            case .operations: continue
            case .named(_, let name):
                guard let named = try operations(named: name, in: job, statements), !named.isEmpty else { continue }
                range = ClosedRange(named)
            }
            let start = range.lowerBound
            let elements = try elements(at: start, of: job, in: start...start, statements)
            sources.append(InputNames.Source(job: job, range: range, name: elements?.name(of: range)))
        }
        return sources
    }

    /// Returns the operations of a range that share an entry with one of them; nil for an operation without an entry.
    static func elements(
        at index: UInt32,
        of job: JobNumber,
        in range: ClosedRange<UInt32>,
        calledBy naming: InputNaming = .number,
        _ statements: Statements
    ) throws(SQLError) -> EntryElements? {
        guard let entry = try entries(of: job, from: index, limit: 1, statements).first else { return nil }
        return try EntryElements(entry, of: job, in: range, calledBy: naming, statements)
    }

    // MARK: Parts

    /// Returns the entries of some consecutive operations.
    static func entries(
        of job: JobNumber,
        from index: UInt32,
        limit: Int,
        _ statements: Statements
    ) throws(SQLError) -> [EntryRow] {
        statements.entries.entryFirstCovering.bind((.job, job.rawValue), (.operation, index))
        let first = try statements.entries.entryFirstCovering.first { row throws(SQLError) in
            try row.number(0, as: UInt32.self)
        }
        guard let first else { return [] }
        var entries: [EntryRow] = []
        statements.entries.entriesFrom.bind((.job, job.rawValue), (.from, first))
        try statements.entries.entriesFrom.forEach { row throws(SQLError) in
            let entry = try EntryRow(row)
            // Past the end of the job, the last entry does not reach the index.
            guard entry.range.upperBound >= index else { return false }
            if let previous = entries.last?.range.upperBound, UInt64(previous) + 1 != entry.first {
                throw .damaged("entry \(entry.first) of job \(job) does not follow operation \(previous)")
            }
            guard UInt64(entry.first) < UInt64(index) + UInt64(limit) else { return false }
            entries.append(entry)
            return UInt64(entry.range.upperBound) + 1 < UInt64(index) + UInt64(limit)
        }
        return entries
    }

    /// Returns the records that overlap a range of operations.
    static func records(
        of job: JobNumber,
        from index: UInt32,
        below end: UInt64,
        _ statements: Statements
    ) throws(SQLError) -> [OperationRecord] {
        var records: [OperationRecord] = []
        let covering = try record(of: OperationID(job: job, index: index), statements)
        statements.operations.operationsFrom.bind((.job, job.rawValue), (.from, covering?.id.index ?? index))
        try statements.operations.operationsFrom.forEach { row throws(SQLError) in
            let record = try row.operationRecord(of: job)
            guard UInt64(record.id.index) < end else { return false }
            if let previous = records.last, previous.lastIndex >= record.id.index {
                throw row.damaged(OperationColumn.first)
            }
            records.append(record)
            return true
        }
        return records
    }

    static func template(
        _ position: Int,
        of job: JobNumber,
        _ known: inout [Int: Template],
        _ statements: Statements
    ) throws(SQLError) -> Template {
        if let template = known[position] { return template }
        statements.entries.template.bind((.job, job.rawValue), (.template, position))
        guard let template = try statements.entries.template.first({ row throws(SQLError) in try row.template() })
        else {
            throw .damaged("template \(position) of job \(job) is missing")
        }
        known[position] = template
        return template
    }

    static func dependencies(
        _ items: [DependencyText.Item],
        _ job: JobNumber,
        _ statements: Statements
    ) throws(SQLError) -> [StoredDependency] {
        var dependencies: [StoredDependency] = []
        dependencies.reserveCapacity(items.count)
        let counts = try entryCounts(items, job, statements)
        for item in items {
            switch item.target {
            case .other(.job(let other)):
                dependencies.append(StoredDependency(target: .job(other), count: 0, condition: item.condition))
            case .other(let address):
                dependencies.append(StoredDependency(target: address, count: 1, condition: item.condition))
            case .otherElements(let other, let range):
                let first = Address.operation(OperationID(job: other, index: range.lowerBound))
                var dependency = StoredDependency(
                    target: first,
                    count: UInt32(range.count),
                    condition: item.condition
                )
                dependency.isElementwise = true
                dependencies.append(dependency)
            case .sameJob(let first), .sameJobElements(let first):
                var count = counts[first]
                if count == nil { count = try entryCount(first, job, statements) }
                guard let count, !first.addingReportingOverflow(count).overflow else {
                    throw .damaged("an operation of job \(job) depends on \(first), where no entry starts")
                }
                let target = Address.operation(OperationID(job: job, index: first))
                var dependency = StoredDependency(target: target, count: count, condition: item.condition)
                dependency.isElementwise = item.target == .sameJobElements(first)
                dependencies.append(dependency)
            }
        }
        return dependencies
    }

    /// Returns the sizes of entries that dependencies name, by the entries' first indices.
    ///
    /// One query reads the sizes if many dependencies name entries close together; otherwise the result is empty.
    private static func entryCounts(
        _ items: [DependencyText.Item],
        _ job: JobNumber,
        _ statements: Statements
    ) throws(SQLError) -> [UInt32: UInt32] {
        var firsts: ClosedRange<UInt32>?
        var number = 0
        for item in items {
            guard case .sameJob(let first) = item.target else { continue }
            number += 1
            firsts = min(firsts?.lowerBound ?? first, first)...max(firsts?.upperBound ?? first, first)
        }
        guard let firsts, number > 8, firsts.count <= 4 * number else { return [:] }
        var counts: [UInt32: UInt32] = [:]
        counts.reserveCapacity(number)
        statements.entries.entryCounts.bind(
            (.job, job.rawValue),
            (.first, firsts.lowerBound),
            (.last, firsts.upperBound)
        )
        try statements.entries.entryCounts.forEach { row throws(SQLError) in
            counts[try row.number(0, as: UInt32.self)] = try row.number(1, as: UInt32.self)
            return true
        }
        return counts
    }

    private static func entryCount(
        _ first: UInt32,
        _ job: JobNumber,
        _ statements: Statements
    ) throws(SQLError) -> UInt32? {
        statements.entries.entryCount.bind((.job, job.rawValue), (.first, first))
        return try statements.entries.entryCount.first { row throws(SQLError) in try row.number(0, as: UInt32.self) }
    }

    /// Returns the values of some elements of an array; nil for an entry that is no array.
    static func elements(
        of entry: EntryRow,
        _ job: JobNumber,
        at indices: ClosedRange<UInt32>,
        _ statements: Statements
    ) throws(SQLError) -> [ArrayValues.Element]? {
        switch entry.elements {
        case .none: return nil
        case .numbers(let first, let step):
            let values = ArrayValues.numbers(first: first, step: step, count: Int(entry.count))
            return indices.map { index in
                let position = Int(index - entry.first)
                return ArrayValues.Element(number: values.number(at: position), item: values.item(at: position))
            }
        case .lines, .picked:
            let positions = (indices.lowerBound - entry.first)...(indices.upperBound - entry.first)
            return try items(of: entry, job, positions: positions, statements)
        }
    }
}
