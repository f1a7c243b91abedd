#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What has to be there before SQLite can open a record.
enum RecordFile {
    /// Makes the directories above a record that do not exist, for the user alone.
    ///
    /// - Throws: `notAccessible` where that cannot be done, or the path does not name a file.
    static func makeDirectory(for record: String) throws(StoreError) {
        guard !record.isEmpty else { throw .notAccessible(record, systemError: ENOENT) }
        guard !record.hasSuffix("/") else { throw .notAccessible(record, systemError: EISDIR) }
        guard let slash = record.lastIndex(of: "/"), slash != record.startIndex else { return }
        try makeDirectory(String(record[..<slash]), for: record)
    }

    /// The path of a record's file without symbolic links; the file is made where there is none.
    ///
    /// It is readable by the user alone: commands and their output may hold secrets. SQLite would make it readable by all, and
    /// says less about what is wrong with a file that cannot be opened. A file that is there is not opened here: closing it
    /// again would drop the locks that SQLite has on it in this process.
    static func resolve(_ record: String) throws(StoreError) -> String {
        if let path = resolved(record) { return path }
        guard errno == ENOENT else { throw .notAccessible(record, systemError: errno) }
        let descriptor = open(record, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .notAccessible(record, systemError: errno) }
        close(descriptor)
        guard let path = resolved(record) else { throw .notAccessible(record, systemError: errno) }
        return path
    }

    private static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func makeDirectory(_ path: String, for record: String) throws(StoreError) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
            throw .notAccessible(record, systemError: errno)
        }
        try makeDirectory(String(path[..<slash]), for: record)
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .notAccessible(record, systemError: errno) }
    }
}
