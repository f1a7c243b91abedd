#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A backup of a record, which a coordinator may have open meanwhile.
///
/// The backup is another reader of the record: it needs no coordinator, delays no commit, and has the state of one moment.
@_spi(Baton) public struct RecordBackup: Sendable {
    private let record: String
    private let file: String
    var copy: RecordCopy

    /// Plans a backup; nothing is written.
    ///
    /// - Parameters:
    ///   - record: the record's file.
    ///   - file: the file to be written, which must not exist.
    public init(of record: String, to file: String) {
        self.record = record
        self.file = file
        copy = RecordCopy(for: file, knownAs: file)
    }

    /// Copies the record, checks the copy, and gives it its name.
    ///
    /// - Parameter onStep: called after each step with the numbers of pages that are copied and that there are; false ends the
    ///   backup.
    /// - Throws: ``StoreError`` `missing` without a record, `exists` if there is a file of the name, or the name is kept
    ///   for a file of the record, `full` and `notWritable` for a file that cannot be written, `unreadable` for a damaged record,
    ///   `incomplete` for a record without a part that was acknowledged, and `ended`. Nothing is left then.
    /// - Complexity: O(bytes of the record), in constant memory.
    public func write(
        onStep: (_ copied: Int, _ count: Int) -> Bool = { _, _ in true }
    ) throws(StoreError) -> RecordContents {
        var status = stat()
        guard lstat(file, &status) != 0 else { throw .exists(file) }
        guard access(record, F_OK) == 0 else {
            throw errno == ENOENT ? .missing(record) : .notAccessible(record, systemError: errno)
        }
        // The tally comes first: each commit that it counts is in the copy, or is lost.
        let source = RecordFile.resolved(record) ?? record
        try RecordFile.checkKind(of: source, record: record)
        try checkName(beside: source)
        let acknowledged = try TallyFile.read(beside: source, on: nil, record: record)
        if let mismatch = Self.mismatch(acknowledged, source) { throw .mixed(record, mismatch, hasCoordinator: false) }
        let contents = try copy.make(of: record, onStep: onStep)
        // A restored copy would be taken for whole.
        if var loss = RecordLoss.found(by: acknowledged, in: contents.tally, wasOpen: false) {
            // Whatever cannot be read here is missing in the sentence alone.
            if let database = try? Database(path: copy.partial, isReadOnly: true) {
                try? loss.findJobs(by: acknowledged, in: database)
            }
            copy.remove()
            throw .incomplete(record, loss)
        }
        // Unlike a renaming, a link replaces no file that has come meanwhile.
        if link(copy.partial, file) != 0 {
            guard errno != EEXIST else {
                copy.remove()
                throw .exists(file)
            }
            // File systems without links.
            guard rename(copy.partial, file) == 0 else {
                let failure = errno
                copy.remove()
                throw .notWritable(file, systemError: failure)
            }
        }
        copy.remove()
        RecordCopy.syncDirectory(of: file)
        return contents
    }

    /// Checks that the next coordinator, or SQLite, neither takes the backup for a file of the record nor puts one in
    /// its place.
    private func checkName(beside source: String) throws(StoreError) {
        guard let path = Self.withoutLinkedDirectories(file) else { return }
        let files = (RecordFile.endings + RecordFile.endings.map { $0 + ".new" }).map { source + $0 }
        let names = [source, Self.withoutLinkedDirectories(record) ?? source]
        let sockets = names.map { RecordHealthSocket.path(ofRecord: $0) }
        if (files + sockets).contains(path) { throw .reserved(file) }
    }

    /// The path of a file, which may be missing or a link, in its directory without symbolic links; nil without the
    /// directory.
    private static func withoutLinkedDirectories(_ file: String) -> String? {
        let slash = file.lastIndex(of: "/")
        let directory = slash.map { $0 == file.startIndex ? "/" : String(file[..<$0]) } ?? "."
        let name = slash.map { String(file[file.index(after: $0)...]) } ?? file
        return RecordFile.resolved(directory).map { ($0 == "/" ? "" : $0) + "/" + name }
    }

    /// Compares the identities of the record's files; what cannot be read is found by the copy.
    private static func mismatch(_ tally: TallyFile.Content, _ source: String) -> RecordMismatch? {
        guard let database = try? Database(path: source, isReadOnly: true) else { return nil }
        database.setBusyTimeout(milliseconds: 5000)
        return RecordMismatch.found(by: tally, in: database, file: source)
    }

    /// Removes what an ended process leaves of the backup.
    public func removeRest() { copy.remove() }
}
