@_spi(Baton) import BatonJSON
@_spi(Baton) public import BatonOperations

@_spi(Baton) extension SQLStore {
    /// Reads a part of a job as it was submitted.
    ///
    /// - Complexity: O(limit + dependencies of the part), times log entries.
    public func submittedPart(of job: JobNumber, from index: UInt32, limit: Int) throws(StoreError) -> SubmittedPart? {
        try with { statements throws(SQLError) in
            statements.jobs.submission.bind(.job, job.rawValue)
            let head = try statements.jobs.submission.first { row throws(SQLError) in
                guard case .array(let changes) = try row.json(SubmissionColumn.queueChanges) else {
                    throw row.damaged(SubmissionColumn.queueChanges)
                }
                var queueChanges: [QueueChange] = []
                for change in changes {
                    guard let change = QueueChange(change) else { throw row.damaged(SubmissionColumn.queueChanges) }
                    queueChanges.append(change)
                }
                return (
                    queueChanges: queueChanges, queueNames: try row.strings(SubmissionColumn.queueNames),
                    count: try row.number(SubmissionColumn.operations, as: UInt32.self)
                )
            }
            guard let head else { return nil }
            var part = SubmittedPart(queueChanges: head.queueChanges, entries: [], next: nil)
            guard index < head.count, limit > 0 else { return part }
            var names: [UInt32: String?] = [:]
            var templates: [Int: Template] = [:]
            var (next, left) = (index, limit)
            for row in try Self.entries(of: job, from: index, limit: limit, statements) where left > 0 {
                guard head.queueNames.indices.contains(row.entry.queue) else {
                    throw .damaged("entry \(row.first) of job \(job) has a queue that is not there")
                }
                let position = max(next, row.first) - row.first
                var entry = row.entry
                // Only an array that is stored item by item is cut.
                var isCut = false
                switch row.elements {
                case .none: left -= 1
                case .numbers(let first, let step):
                    entry.array = .numbers(first: first, step: step, count: Int(row.count))
                    left -= 1
                case .lines, .picked:
                    let last = min(row.count - 1, position + UInt32(min(left, Int(UInt32.max / 2))) - 1)
                    let items = try Self.items(of: row, job, positions: position...last, statements)
                    entry.array = row.hasNumbers ? .picked(items) : .lines(items.map(\.item))
                    left -= items.count
                    isCut = true
                }
                part.entries.append(
                    SubmittedEntry(
                        first: row.first,
                        count: row.count,
                        entry: entry,
                        queue: head.queueNames[row.entry.queue],
                        template: try Self.template(row.entry.template, of: job, &templates, statements),
                        dependencies: try Self.submitted(row.dependencies, job, &names, statements),
                        position: isCut ? position : 0
                    )
                )
                next = isCut ? row.first + position + UInt32(entry.array?.count ?? 1) : row.first + row.count
            }
            guard next > index else { throw .damaged("operation \(index) of job \(job) has no entry") }
            part.next = next < head.count ? next : nil
            return part
        }
    }

    /// The dependencies of an entry, with the names of the entries that they name.
    private static func submitted(
        _ items: [DependencyText.Item],
        _ job: JobNumber,
        _ names: inout [UInt32: String?],
        _ statements: Statements
    ) throws(SQLError) -> [SubmittedEntry.Dependency] {
        var dependencies: [SubmittedEntry.Dependency] = []
        for item in items {
            switch item.target {
            case .other(.operation(let id)) where id.job == job:
                let target = try ownOperation(at: id.index, of: job, statements)
                dependencies.append(SubmittedEntry.Dependency(target, item.condition))
            case .other(let address): dependencies.append(SubmittedEntry.Dependency(.existing(address), item.condition))
            case .otherElements(let other, let range):
                let own = other == job ? try array(of: range, in: job, statements) : nil
                let target = own ?? .existingElements(.operations(other, range))
                dependencies.append(SubmittedEntry.Dependency(target, item.condition))
            case .sameJob(let first), .sameJobElements(let first):
                if names[first] == nil {
                    statements.entries.entryName.bind((.job, job.rawValue), (.first, first))
                    names[first] = try statements.entries.entryName.first { row throws(SQLError) in
                        try row.optionalText(0)
                    }
                }
                guard let name = names[first] else {
                    throw .damaged("an operation of job \(job) depends on \(first), where no entry starts")
                }
                let isElementwise = item.target == .sameJobElements(first)
                dependencies.append(
                    SubmittedEntry.Dependency(
                        isElementwise ? .elements(first, name: name) : .entry(first, name: name),
                        item.condition
                    )
                )
            }
        }
        return dependencies
    }

    /// The array on which another array of the job depends, element by element; nil for a part of an array.
    private static func array(
        of range: Range<UInt32>,
        in job: JobNumber,
        _ statements: Statements
    ) throws(SQLError) -> SubmittedEntry.Target? {
        guard let entry = try entries(of: job, from: range.lowerBound, limit: 1, statements).first,
            Range(entry.range) == range
        else { return nil }
        return .elements(entry.first, name: entry.entry.name)
    }

    /// The entry of an operation on which others of its job depend, and of an array the element.
    private static func ownOperation(
        at index: UInt32,
        of job: JobNumber,
        _ statements: Statements
    ) throws(SQLError) -> SubmittedEntry.Target {
        guard let entry = try entries(of: job, from: index, limit: 1, statements).first else {
            throw .damaged("an operation of job \(job) depends on \(index), which has no entry")
        }
        guard let element = try elements(of: entry, job, at: index...index, statements)?.first else {
            return .entry(entry.first, name: entry.entry.name)
        }
        return .element(entry.first, name: entry.entry.name, number: element.number)
    }
}
