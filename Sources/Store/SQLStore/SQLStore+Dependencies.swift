@_spi(Baton) import BatonOperations

/// Dependencies changed after the submission, which replace the dependencies of the entry.
extension SQLStore {
    /// The first operations of a job's entries, by position.
    struct EntryStarts {
        var job: JobNumber
        var firsts: [UInt32]
    }

    /// Stores the present dependencies of an operation; the first operation stands for an entry of the same job.
    ///
    /// - Complexity: O(dependencies); O(entries) more for the first change of a job, and after a change of another job.
    func write(
        _ dependencies: [Dependency],
        of operation: OperationID,
        _ statements: Statements
    ) throws(SQLError) {
        var firsts: [UInt32] = []
        if dependencies.contains(where: \.isOnEntry) {
            let starts = try entryStarts(of: operation.job, statements)
            entryStarts = starts
            firsts = starts.firsts
        }
        var text: [UInt8] = []
        try DependencyText.write(dependencies, firsts: firsts, to: &text)
        statements.operations.writeDependencies.bind(operation)
        text.withUnsafeBufferPointer { statements.operations.writeDependencies.bind(.dependencies, utf8: $0) }
        try statements.operations.writeDependencies.run()
    }

    private func entryStarts(of job: JobNumber, _ statements: Statements) throws(SQLError) -> EntryStarts {
        if let entryStarts, entryStarts.job == job { return entryStarts }
        var starts = EntryStarts(job: job, firsts: [])
        statements.entries.entryFirsts.bind(.job, job.rawValue)
        try statements.entries.entryFirsts.forEach { row throws(SQLError) in
            starts.firsts.append(try row.number(0))
            return true
        }
        return starts
    }

    /// Returns the changed dependencies of a job's operations, in the form of an entry's dependencies.
    static func changedDependencies(
        of job: JobRecord,
        _ statements: Statements
    ) throws(SQLError) -> [UInt32: [Dependency]] {
        var changed: [UInt32: [Dependency]] = [:]
        var firsts: [UInt32]?
        let operations = job.submission.operationCount
        statements.operations.dependenciesFrom.bind((.job, job.number.rawValue), (.from, 0))
        try statements.operations.dependenciesFrom.forEach { row throws(SQLError) in
            let operation: UInt32 = try row.number(0)
            guard Int(operation) < operations else { throw row.damaged(0) }
            let items = try row.withBytes(1) { bytes throws(SQLError) in try DependencyText.read(bytes) }
            let known = firsts ?? job.submission.firsts
            firsts = known
            var dependencies: [Dependency] = []
            for item in items {
                switch item.target {
                case .other(let address):
                    dependencies.append(Dependency(on: .existing(address), condition: item.condition))
                case .sameJob(let first):
                    guard let entry = known.binarySearch(first) else { throw row.damaged(1) }
                    dependencies.append(Dependency(on: .entry(entry), condition: item.condition))
                // The dependency of a single element is on a single element.
                case .sameJobElements, .otherElements: throw row.damaged(1)
                }
            }
            changed[operation] = dependencies
            return true
        }
        return changed
    }

    /// Returns the changed dependencies of some of a job's operations, in the form on disk.
    static func changedDependencies(
        of job: JobNumber,
        from index: UInt32,
        below end: UInt64,
        _ statements: Statements
    ) throws(SQLError) -> [UInt32: [DependencyText.Item]] {
        var changed: [UInt32: [DependencyText.Item]] = [:]
        statements.operations.dependenciesFrom.bind((.job, job.rawValue), (.from, index))
        try statements.operations.dependenciesFrom.forEach { row throws(SQLError) in
            let operation: UInt32 = try row.number(0)
            guard UInt64(operation) < end else { return false }
            changed[operation] = try row.withBytes(1) { bytes throws(SQLError) in try DependencyText.read(bytes) }
            return true
        }
        return changed
    }
}

extension Dependency {
    /// Whether the target is another entry of the same submission.
    fileprivate var isOnEntry: Bool { target.entry != nil }
}

extension Submission {
    /// The index of the first operation of each entry.
    fileprivate var firsts: [UInt32] {
        var next: UInt32 = 0
        return entries.map { entry in
            defer { next &+= UInt32(clamping: entry.count) }
            return next
        }
    }
}
