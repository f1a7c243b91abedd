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

    /// Makes the file where there is none, readable by the user alone: commands and their output may hold secrets.
    ///
    /// SQLite would make it readable by all, and says less about what is wrong with a file that cannot be opened.
    static func make(_ record: String) throws(StoreError) {
        let descriptor = open(record, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .notAccessible(record, systemError: errno) }
        close(descriptor)
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
