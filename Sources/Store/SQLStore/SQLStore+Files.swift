@_spi(Baton) public import BatonOperations

/// The files that workers keep of operations.
@_spi(Baton) extension SQLStore {
    /// Reads the files of an operation.
    ///
    /// - Complexity: O(its files + log files).
    public func files(of operation: OperationID) throws(StoreError) -> [KeptFile] {
        try with { statements throws(SQLError) in
            guard try Self.exists(operation.job, statements) else { return [] }
            let range = operation.index...operation.index
            return try Self.fileSources(of: operation.job, in: range, statements).flatMap(\.files)
        }
    }

    /// Looks a file of an operation up by its path.
    ///
    /// - Complexity: O(log files).
    public func file(of operation: OperationID, path: String) throws(StoreError) -> KeptFile? {
        try with { statements throws(SQLError) in
            guard try Self.exists(operation.job, statements) else { return nil }
            statements.files.file.bind(operation)
            statements.files.file.bind(.name, text: path)
            return try statements.files.file.first { row throws(SQLError) in
                try row.storedFile(of: operation.job).file
            }
        }
    }

    /// Reads a page of the files of some operations.
    ///
    /// - Complexity: O(from + limit).
    public func files(
        ofJob job: JobNumber,
        in operations: ClosedRange<UInt32>,
        from place: Int,
        limit: Int
    ) throws(StoreError) -> [StoredFile] {
        try with { statements throws(SQLError) in
            guard try Self.exists(job, statements) else { return [] }
            var files: [StoredFile] = []
            try Self.readFiles(of: job, in: operations, from: max(0, place), limit: max(0, limit), statements) {
                files.append($0)
            }
            var wanted = WantedCopies(of: job)
            for place in files.indices {
                files[place].copies = try wanted.copies(of: files[place].operation.index, statements)
            }
            return files
        }
    }

    /// Adds up the files of some operations.
    ///
    /// - Complexity: O(the files).
    public func sizeOfFiles(
        ofJob job: JobNumber,
        in operations: ClosedRange<UInt32>
    ) throws(StoreError) -> FilesSize {
        try with { statements throws(SQLError) in
            guard try Self.exists(job, statements) else { return FilesSize() }
            let statement = statements.files.sizeOfFiles
            statement.bind((.job, job.rawValue), (.first, operations.lowerBound), (.last, operations.upperBound))
            let size = try statement.first { row throws(SQLError) in
                FilesSize(count: try row.number(0), bytes: try row.number(1))
            }
            return size ?? FilesSize()
        }
    }

    /// Reads the files of some operations.
    ///
    /// - Complexity: O(the files), plus O(log files) for each operation.
    public func fileSources(of operations: [OperationID]) throws(StoreError) -> [FileSource] {
        try with { statements throws(SQLError) in
            var sources: [FileSource] = []
            for operation in operations {
                guard try Self.exists(operation.job, statements) else { continue }
                let range = operation.index...operation.index
                sources += try Self.fileSources(of: operation.job, in: range, statements)
            }
            return sources
        }
    }

    /// Reads the files of the operations that an address denotes.
    ///
    /// - Complexity: O(the files + log files).
    public func fileSources(of address: Address) throws(StoreError) -> [FileSource] {
        try with { statements throws(SQLError) in try Self.fileSources(of: address, statements) }
    }

    /// Reads what an operation finds among its inputs.
    ///
    /// - Complexity: as ``dependenciesWithResults(of:calledBy:)``, plus O(the files).
    public func inputs(
        of operation: OperationID,
        calledBy naming: InputNaming
    ) throws(StoreError) -> OperationInputs {
        try with { statements throws(SQLError) in
            var inputs = OperationInputs()
            for input in try Self.namedInputs(of: operation, calledBy: naming, statements) {
                if input.hasResult { inputs.results.append(input.result) }
                guard let folder = input.folder else { continue }
                let id = input.result.operation
                for source in try Self.fileSources(of: id.job, in: id.index...id.index, statements) {
                    inputs.files += source.files.map { InputFile(folder: folder, file: $0) }
                }
            }
            return inputs
        }
    }

    // MARK: Parts that several functions share

    /// Puts the files of an attempt in the place of those that the operation had.
    static func write(
        _ files: [KeptFile],
        ofAttempt attempt: UInt32,
        of operation: OperationID,
        _ statements: Statements
    ) throws(SQLError) {
        statements.files.deleteFiles.bind(operation)
        try statements.files.deleteFiles.run()
        let statement = statements.files.writeFile
        typealias Column = FileColumn
        for file in files {
            statement.bind(Column.job, operation.job.rawValue)
            statement.bind(Column.operation, operation.index)
            statement.bind(Column.path, text: file.path)
            statement.bind(Column.attempt, attempt)
            statement.bind(Column.size, file.size)
            statement.bind(Column.mode, file.mode)
            statement.bind(Column.digest, bytes: file.digest.bytes)
            try statement.run()
        }
    }

    /// Reads the files of the operations that an address denotes; empty for an address without an operation.
    static func fileSources(of address: Address, _ statements: Statements) throws(SQLError) -> [FileSource] {
        guard try exists(address.job, statements) else { return [] }
        let range: ClosedRange<UInt32>
        switch address {
        case .job: range = 0...UInt32.max
        case .operation(let id): range = id.index...id.index
        case .operations(_, let operations):
            guard !operations.isEmpty else { return [] }
            range = ClosedRange(operations)
        case .named(let job, let name):
            guard let operations = try operations(named: name, in: job, statements), !operations.isEmpty else {
                return []
            }
            range = ClosedRange(operations)
        }
        return try fileSources(of: address.job, in: range, statements)
    }

    /// Reads the files of some operations of a job, in their order.
    static func fileSources(
        of job: JobNumber,
        in operations: ClosedRange<UInt32>,
        _ statements: Statements
    ) throws(SQLError) -> [FileSource] {
        var sources: [FileSource] = []
        try readFiles(of: job, in: operations, from: 0, limit: -1, statements) { stored in
            if sources.last?.operation == stored.operation {
                sources[sources.count - 1].files.append(stored.file)
            } else {
                sources.append(
                    FileSource(operation: stored.operation, attempt: stored.attempt, files: [stored.file])
                )
            }
        }
        var wanted = WantedCopies(of: job)
        for place in sources.indices {
            sources[place].copies = try wanted.copies(of: sources[place].operation.index, statements)
        }
        return sources
    }

    /// Reads the files of finished operations that a restarted coordinator has to know, each operation's once, in their order.
    ///
    /// - Parameter state: the state, with its jobs and the ends of their dependencies.
    static func filesToRestore(
        for state: StoredState,
        _ statements: Statements
    ) throws(SQLError) -> [FileSource] {
        let unfinished = Set(state.jobs.map(\.job.number))
        var sources = state.jobs.flatMap(\.files)
        var addresses = Set(state.filesKeptUntil.keys.map { Address.job($0) })
        for (address, end) in state.dependencyEnds where end.hasFiles && !unfinished.contains(address.job) {
            addresses.insert(address)
        }
        for address in state.elementEnds.keys where !unfinished.contains(address.job) { addresses.insert(address) }
        var seen: Set<OperationID> = []
        for address in addresses {
            for source in try fileSources(of: address, statements) where seen.insert(source.operation).inserted {
                sources.append(source)
            }
        }
        return sources.sorted { $0.operation < $1.operation }
    }

    /// Reads until when finished jobs keep files, as far as that is after a moment of the record's clock.
    static func filesKeptUntil(
        after clock: Timestamp?,
        _ statements: Statements
    ) throws(SQLError) -> [JobNumber: Timestamp] {
        guard let clock else { return [:] }
        var found: [JobNumber: Timestamp] = [:]
        try statements.files.jobsKeepingFiles.forEach { row throws(SQLError) in
            guard let text = try row.optionalText(2) else { return true }
            guard let settings = JobSettings(recordText: text) else { throw row.damaged(2) }
            guard let keepFiles = settings.keepFiles else { return true }
            let until = try row.time(1) + keepFiles
            guard until > clock else { return true }
            found[JobNumber(try row.number(0))] = until
            return true
        }
        return found
    }

    private static func readFiles(
        of job: JobNumber,
        in operations: ClosedRange<UInt32>,
        from place: Int,
        limit: Int,
        _ statements: Statements,
        _ body: (StoredFile) -> Void
    ) throws(SQLError) {
        let statement = statements.files.files
        statement.bind((.job, job.rawValue), (.first, operations.lowerBound), (.last, operations.upperBound))
        statement.bind((.from, place), (.limit, limit))
        try statement.forEach { row throws(SQLError) in
            body(try row.storedFile(of: job))
            return true
        }
    }
}

extension Statement {
    /// Returns the file in the current row of a statement with ``FileColumn``.
    fileprivate func storedFile(of job: JobNumber) throws(SQLError) -> StoredFile {
        typealias Column = FileColumn
        let path = try text(Column.path)
        guard KeptFile.objection(toPath: path) == nil else { throw damaged(Column.path) }
        let size: Int64 = try number(Column.size)
        guard size >= 0 else { throw damaged(Column.size) }
        let mode: UInt16 = try number(Column.mode)
        guard mode & ~KeptFile.permissions == 0 else { throw damaged(Column.mode) }
        guard let digest = ContentDigest(bytes: optionalBytes(Column.digest) ?? []) else {
            throw damaged(Column.digest)
        }
        return StoredFile(
            operation: OperationID(job: job, index: try number(Column.operation)),
            attempt: try number(Column.attempt),
            file: KeptFile(path: path, size: size, mode: mode, digest: digest)
        )
    }
}
