@_spi(Baton) import BatonOperations

/// The names of what the dependencies of an operation left.
extension SQLStore {
    /// A dependency that left a result, files, or both, with its names for the dependent.
    struct NamedInput {
        /// The dependency, and the name of its result.
        var result: ResultSource
        /// Whether the dependency left a result.
        var hasResult: Bool
        /// The name of the folder with its files; nil without files.
        var folder: String?
    }

    /// Finds the dependencies of an operation that left something, in the order of the dependencies; whole jobs come last.
    ///
    /// The names of results and of folders come from one walk, so that a name never belongs to two of them.
    ///
    /// - Complexity: O(the dependencies and what they left, times log operations), and with names by items O(elements of the arrays).
    static func namedInputs(
        of operation: OperationID,
        calledBy naming: InputNaming,
        _ statements: Statements
    ) throws(SQLError) -> [NamedInput] {
        guard let dependencies = try presentDependencies(of: operation, statements) else { return [] }
        let present = try inputSources(dependencies, statements)
        // Whole jobs come last, so that what is named by an address keeps its name.
        let sources = present.filter { !$0.isWholeJob } + present.filter(\.isWholeJob)
        var names = InputNames(job: operation.job, sources: sources)
        var inputs: [NamedInput] = []
        var seen: Set<OperationID> = []
        for source in sources {
            var elements: EntryElements?
            for (index, hasResult, hasFiles) in try operationsWithInputs(of: source.job, source.range, statements) {
                let id = OperationID(job: source.job, index: index)
                guard seen.insert(id).inserted else { continue }
                if elements?.contains(index) != true {
                    elements = try Self.elements(
                        at: index,
                        of: source.job,
                        in: source.range,
                        calledBy: naming,
                        statements
                    )
                }
                guard let elements else { throw .damaged("operation \(id) belongs to no entry") }
                let result = names.name(id, elements.element(at: index), of: source)
                var input = NamedInput(result: result, hasResult: hasResult, folder: nil)
                if hasFiles {
                    input.folder = result.fileName
                    if hasResult { input.result = names.result(beside: result) }
                }
                inputs.append(input)
            }
        }
        return inputs
    }

    /// Returns the operations of a range that left a result or files, in their order.
    private static func operationsWithInputs(
        of job: JobNumber,
        _ range: ClosedRange<UInt32>,
        _ statements: Statements
    ) throws(SQLError) -> [(index: UInt32, hasResult: Bool, hasFiles: Bool)] {
        let results = try indices(statements.operations.operationsWithResults, of: job, range)
        let files = try operationsWithFiles(of: job, range, statements)
        guard !files.isEmpty else { return results.map { (index: $0, hasResult: true, hasFiles: false) } }
        var merged: [(index: UInt32, hasResult: Bool, hasFiles: Bool)] = []
        var rest = files[...]
        for index in results {
            while let other = rest.first, other < index {
                merged.append((other, false, true))
                rest.removeFirst()
            }
            let hasFiles = rest.first == index
            if hasFiles { rest.removeFirst() }
            merged.append((index, true, hasFiles))
        }
        return merged + rest.map { (index: $0, hasResult: false, hasFiles: true) }
    }

    /// Returns the operations of a range that left files, in their order.
    static func operationsWithFiles(
        of job: JobNumber,
        _ range: ClosedRange<UInt32>,
        _ statements: Statements
    ) throws(SQLError) -> [UInt32] {
        try indices(statements.operations.operationsWithFiles, of: job, range)
    }

    /// Returns the first column of the rows for a range of a job's operations.
    private static func indices(
        _ statement: Statement,
        of job: JobNumber,
        _ range: ClosedRange<UInt32>
    ) throws(SQLError) -> [UInt32] {
        var indices: [UInt32] = []
        statement.bind((.job, job.rawValue), (.first, range.lowerBound), (.last, range.upperBound))
        try statement.forEach { row throws(SQLError) in
            indices.append(try row.number(0))
            return true
        }
        return indices
    }
}
