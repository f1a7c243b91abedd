@_spi(Baton) import BatonOperations

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The move of a record from one place to another, such as from a file to a server, while no coordinator has either.
///
/// The copy has all rows of the record. A copy on a server is one transaction, and a copy in a file gets its name at the end: a partial
/// copy is never visible. Then the original gets a mark, so that no coordinator goes on with it by mistake.
@_spi(Baton) public struct RecordTransfer {
    private let from: SQLStore
    private let to: SQLStore
    private let keepsOriginal: Bool
    /// The text for people that names the copy.
    private let target: String
    /// The file of the copy, which gets its name at the end; nil for a server.
    private let file: CopiedFile?

    /// How long another coordinator would have to wait for a copy whose process stands still.
    private static let lease = Duration.seconds(20)

    /// Opens both places for nobody else.
    ///
    /// - Parameters:
    ///   - from: the record.
    ///   - to: where no record is yet.
    ///   - keepingOriginal: whether a coordinator may go on with the original; a mark of an earlier move is then removed.
    /// - Throws: ``StoreError`` `inUse` if a coordinator has one of them, `missing` without a record, `exists` if there is one in the
    ///   place of the copy, and all that opening a record throws.
    public init(from: RecordPlace, to: RecordPlace, keepingOriginal: Bool = false) throws(StoreError) {
        guard from != to else { throw .samePlace(to.shown) }
        keepsOriginal = keepingOriginal
        target = to.shown
        self.from = try Self.open(from)
        guard try Self.epoch(of: self.from) > 0 else { throw .noRecord(from.shown) }
        switch to {
        case .file(let path):
            let file = try CopiedFile(path)
            self.file = file
            do throws(StoreError) {
                self.to = try SQLStore(path: file.partial)
            } catch {
                file.remove()
                throw error
            }
        case .server:
            file = nil
            self.to = try Self.open(to)
            guard try Self.epoch(of: self.to) == 0 else { throw .occupied(to.shown) }
        }
    }

    private static func open(_ place: RecordPlace) throws(StoreError) -> SQLStore {
        switch place {
        case .file(let path):
            guard access(path, F_OK) == 0 else {
                throw errno == ENOENT ? .missing(path) : .notAccessible(path, systemError: errno)
            }
            return try SQLStore(path: path)
        case .server(let server):
            let store = try SQLStore(
                server: server,
                lease: lease,
                address: LeaderRow.addressOfCopies,
                host: ServerConnection.hostName,
                eventHistory: .max
            )
            // From here on, the server hears of this process during long answers, too.
            try store.transaction { _ throws(SQLError) in }
            return store
        }
    }

    /// How often a coordinator has started on a record.
    private static func epoch(of store: SQLStore) throws(StoreError) -> Int64 {
        try store.with { statements throws(SQLError) in try SQLStore.meta("epoch", statements) }
    }

    /// Copies the record, compares the numbers of rows, and marks the original.
    ///
    /// The copy has the identity and the clock of the record, and an epoch of its own.
    ///
    /// - Parameter progress: called after each thousand rows or so with the number of copied rows; false ends the copy.
    /// - Returns: what the copy has.
    /// - Throws: ``StoreError`` `ended`, and what prevents the copy; nothing of the copy is left then.
    /// - Complexity: O(rows of the record), in constant memory.
    public mutating func run(_ progress: (_ rows: Int64) -> Bool) throws(StoreError) -> RecordContents {
        var contents: RecordContents
        do throws(StoreError) {
            contents = try copy(progress)
            to.close()
            if let file { contents.bytes = try file.publish() }
        } catch {
            to.close()
            file?.remove()
            from.close()
            throw error
        }
        defer { from.close() }
        let engine = from.engine
        try from.transaction { [keepsOriginal, target] _ throws(SQLError) in
            if keepsOriginal {
                try RecordMove.forget(in: engine)
            } else {
                try RecordMove.note(target, in: engine)
            }
        }
        return contents
    }

    private func copy(_ progress: (Int64) -> Bool) throws(StoreError) -> RecordContents {
        var wasEnded = false
        var difference: StoreError?
        let engines = (from: from.engine, to: to.engine)
        do throws(StoreError) {
            return try to.transaction { [target] statements throws(SQLError) in
                var rows: Int64 = 0
                for shape in Schema.shapes {
                    let table = try TableCopy(shape, from: engines.from.attach, to: engines.to.attach)
                    let copied = try table.run(
                        leavingOut: { row throws(SQLError) in
                            guard shape.name == "meta" else { return false }
                            return RecordMove.isMark(try row.text(0))
                        },
                        onRow: {
                            rows += 1
                            return !rows.isMultiple(of: 1000) || progress(rows)
                        }
                    )
                    guard let copied else {
                        wasEnded = true
                        throw SQLError(.statement, "the copy was ended")
                    }
                    let found = try table.countOfCopy()
                    guard found == copied else {
                        difference = .unlikeCopy(target, table: shape.name, copied, found)
                        throw SQLError(.statement, "the copy has other rows")
                    }
                }
                statements.record.raiseEpoch.bind(.step, 1)
                try statements.record.raiseEpoch.run()
                try statements.record.unmark.run()
                if case .server(let session) = engines.to {
                    // The next leader goes on from the epoch of the record.
                    try session.current.execute(
                        "UPDATE leader SET epoch = greatest(epoch, (SELECT value FROM meta WHERE key = 'epoch'))"
                    )
                }
                _ = progress(rows)
                return try Self.contents(statements, in: engines.to)
            }
        } catch {
            throw wasEnded ? StoreError.ended(target) : difference ?? error
        }
    }

    /// What the copy has, apart from its size in a file.
    private static func contents(
        _ statements: Statements,
        in engine: SQLStore.Engine
    ) throws(SQLError) -> RecordContents {
        statements.jobs.jobCount.bind(.end, Int64.max)
        let jobs = try statements.jobs.jobCount.first { row throws(SQLError) in try row.number(0, as: Int.self) }
        let next = try SQLStore.nextJob(statements).rawValue
        return RecordContents(
            jobs: jobs ?? 0,
            newestJob: next > 1 ? JobNumber(next - 1) : nil,
            bytes: try bytes(in: engine),
            tally: nil
        )
    }

    /// How many bytes the tables of a server take with their indexes; 0 for a file, which is not whole yet.
    private static func bytes(in engine: SQLStore.Engine) throws(SQLError) -> Int64 {
        guard case .server = engine else { return 0 }
        let statement = Statement(
            """
            SELECT CAST(coalesce(sum(pg_total_relation_size(c.oid)), 0) AS bigint)
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relkind = 'r' AND n.nspname = current_schema()
            """
        )
        try engine.attach(statement)
        return try statement.first { row throws(SQLError) in try row.number(0) } ?? 0
    }

    /// The file of the copy until the end, which an ended process leaves; nil for a server.
    public var partialFile: String? { file?.partial }

    /// Removes what an ended process leaves of a copy.
    public static func remove(partialFile: String) { CopiedFile.remove(partialFile) }
}

/// The file of a copy, which has a temporary name until it is complete.
private struct CopiedFile {
    /// The name in the end.
    let path: String
    /// The name until then.
    let partial: String

    /// Names the file, and makes its directory.
    ///
    /// - Throws: ``StoreError`` `exists` if the file exists, or a file of SQLite or a tally beside it.
    init(_ path: String) throws(StoreError) {
        self.path = path
        try RecordFile.makeDirectory(for: path)
        for ending in [""] + RecordFile.endingsOfSQLite + [TallyFile.path(of: "")] {
            var status = stat()
            guard lstat(path + ending, &status) != 0 else { throw .exists(path + ending) }
        }
        partial = path + ".partial-" + String(UInt32.random(in: .min ... .max), radix: 16)
    }

    /// Gives the closed file its name, and makes the tally.
    ///
    /// - Returns: the size of the file.
    func publish() throws(StoreError) -> Int64 {
        // Unlike a renaming, a link replaces no file that has come meanwhile.
        if link(partial, path) != 0 {
            guard errno != EEXIST else { throw .exists(path) }
            // File systems without links.
            guard rename(partial, path) == 0 else { throw .notWritable(path, systemError: errno) }
        }
        remove()
        do throws(StoreError) {
            try SQLStore.makeTally(ofRecordAt: path)
        } catch {
            unlink(path)
            throw error
        }
        RecordCopy.syncDirectory(of: path)
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }

    /// Removes what has the name until the end.
    func remove() { Self.remove(partial) }

    static func remove(_ partial: String) {
        for ending in [""] + RecordFile.endings { unlink(partial + ending) }
    }
}
