#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The check of a record's file for a missing end.
///
/// SQLite rounds the length of a file up to whole pages, and takes what the last page lacks for zeros: the end of a result, say.
enum LengthCheck {
    /// The place of the bytes for locks, whose page SQLite never writes.
    private static let lockedBytes: Int64 = 1 << 30

    /// Checks that a file has all its pages, or that its write-ahead log has them.
    ///
    /// A process that was killed while it copied the log may have left a shorter file; each page that is missing is in the log then.
    ///
    /// - Parameters:
    ///   - database: the open file, to which nobody writes meanwhile but a coordinator.
    ///   - file: the file's path, without symbolic links.
    /// - Throws: `corrupt` for a file whose end is missing.
    /// - Complexity: O(1) for a whole file, and O(frames of the log) for another.
    static func run(on database: Database, file: String) throws(SQLError) {
        // Until the end of the transaction, a coordinator makes the file longer at most.
        try database.execute("BEGIN")
        defer { try? database.execute("COMMIT") }
        let pages = try database.number("PRAGMA page_count") ?? 0
        let pageSize = try database.number("PRAGMA page_size") ?? 0
        var status = stat()
        guard pageSize > 0, stat(file, &status) == 0 else { return }
        let length = Int64(status.st_size)
        let whole = length / pageSize
        guard whole < pages else { return }
        let inLog = try pagesInLog(of: database, file, above: whole)
        let locked = lockedBytes / pageSize + 1
        guard (whole + 1...pages).allSatisfy({ $0 == locked || inLog.contains($0) }) else {
            throw .damaged(
                "its end is missing: it has \(length) bytes, and its \(pages) pages take \(pages * pageSize)"
            )
        }
    }

    /// The numbers of the pages in the write-ahead log of a file that are above a number.
    private static func pagesInLog(
        of database: Database,
        _ file: String,
        above number: Int64
    ) throws(SQLError) -> Set<Int64> {
        var pages: Set<Int64> = []
        try LogFrames.forEach(of: database, file) { frame in
            if frame.page > number { pages.insert(frame.page) }
            return true
        }
        return pages
    }
}
