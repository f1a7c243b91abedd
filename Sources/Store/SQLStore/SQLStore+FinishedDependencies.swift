@_spi(Baton) public import BatonOperations

@_spi(Baton) extension SQLStore {
    /// Lists the finished dependencies of an operation.
    ///
    /// - Complexity: O(the operations that the dependencies cover, times log operations).
    public func finishedDependencies(of operation: OperationID) throws(StoreError) -> [FinishedDependency] {
        try with { statements throws(SQLError) in
            guard let dependencies = try Self.presentDependencies(of: operation, statements) else { return [] }
            var finished: [FinishedDependency] = []
            var seen: Set<OperationID> = []
            var types = KnownTypes()
            for source in try Self.inputSources(dependencies, statements) {
                guard try Self.exists(source.job, statements) else { continue }
                let (first, last) = (source.range.lowerBound, source.range.upperBound)
                var elements: EntryElements?
                for record in try Self.records(of: source.job, from: first, below: UInt64(last) + 1, statements) {
                    guard let outcome = record.outcome else { continue }
                    for index in max(first, record.id.index)...min(last, record.lastIndex) {
                        let id = OperationID(job: source.job, index: index)
                        guard seen.insert(id).inserted else { continue }
                        if elements?.contains(index) != true {
                            elements = try Self.elements(at: index, of: source.job, in: source.range, statements)
                        }
                        guard let elements else { throw .damaged("operation \(id) belongs to no entry") }
                        finished.append(
                            FinishedDependency(
                                operation: id,
                                name: elements.element(at: index).fullName,
                                type: try types.type(ofTemplate: elements.template, of: source.job, statements),
                                outcome: outcome,
                                hasResult: record.hasResult
                            )
                        )
                    }
                }
            }
            return finished
        }
    }

    /// Looks the queue of an operation up.
    ///
    /// - Complexity: O(log entries), and O(queues of the job).
    public func queue(of operation: OperationID) throws(StoreError) -> QueueMembers? {
        try with { statements throws(SQLError) in
            guard let entry = try Self.entries(of: operation.job, from: operation.index, limit: 1, statements).first
            else { return nil }
            statements.jobs.submission.bind(.job, operation.job.rawValue)
            let names = try statements.jobs.submission.first { row throws(SQLError) in
                try row.strings(SubmissionColumn.queueNames)
            }
            guard let names else { return nil }
            guard names.indices.contains(entry.entry.queue) else {
                throw .damaged("entry \(entry.first) of job \(operation.job) has a queue that is not there")
            }
            return QueueMembers(queue: names[entry.entry.queue], range: entry.range)
        }
    }
}

/// The types of the last job's templates, so that similar operations need one query.
private struct KnownTypes {
    private var job: JobNumber?
    private var types: [Int: String?] = [:]

    /// Returns the type of a template's Swift operations; nil for other work.
    mutating func type(
        ofTemplate template: Int,
        of job: JobNumber,
        _ statements: Statements
    ) throws(SQLError) -> String? {
        if self.job != job {
            self.job = job
            types = [:]
        }
        if let known = types[template] { return known }
        statements.entries.templateType.bind((.job, job.rawValue), (.template, template))
        let found = try statements.entries.templateType.first { row throws(SQLError) in try row.optionalText(0) }
        guard let type = found else { throw .damaged("template \(template) of job \(job) is missing") }
        types[template] = .some(type)
        return type
    }
}
