#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The preparations before SQLite can open a record.
enum RecordFile {
    /// Creates the missing directories above a record, for the user alone.
    ///
    /// - Throws: `notAccessible` if a directory cannot be created, or the path does not name a file.
    static func makeDirectory(for record: String) throws(StoreError) {
        guard !record.isEmpty else { throw .notAccessible(record, systemError: ENOENT) }
        guard !record.hasSuffix("/") else { throw .notAccessible(record, systemError: EISDIR) }
        guard let slash = record.lastIndex(of: "/"), slash != record.startIndex else { return }
        try makeDirectory(String(record[..<slash]), for: record)
    }

    /// Returns the path of a record's file without symbolic links, and creates a missing file.
    ///
    /// Only the user can read a new file: commands and their output may hold secrets. SQLite would make the file readable by
    /// all, and reports less about a file that cannot be opened. An existing file is not opened here: closing it again would
    /// drop the locks of SQLite on the file in this process.
    static func resolve(_ record: String) throws(StoreError) -> String {
        if let path = resolved(record) { return path }
        guard errno == ENOENT else { throw .notAccessible(record, systemError: errno) }
        let descriptor = open(record, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .notAccessible(record, systemError: errno) }
        close(descriptor)
        guard let path = resolved(record) else { throw .notAccessible(record, systemError: errno) }
        return path
    }

    /// The path of a file without symbolic links; nil if there is no such file, with the reason in `errno`.
    static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Another name of a file, in its directory, that has a write-ahead log with content beside it; nil if there is none.
    ///
    /// - Complexity: O(files in the directory).
    static func nameWithLog(of file: String) -> String? {
        guard let slash = file.lastIndex(of: "/"), let place = FilePlace(file) else { return nil }
        let directory = String(file[...slash])
        guard let stream = opendir(directory) else { return nil }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            let path = directory + name
            guard path != file, FilePlace(path)?.isSameFile(as: place) == true else { continue }
            if !SQLiteStore.isEmpty(path + "-wal") { return path }
        }
        return nil
    }

    /// Checks that a record or a backup, and what SQLite would open beside it, are ordinary files.
    ///
    /// An open of a named pipe waits for a program that writes into it, and a device has no end.
    ///
    /// - Parameters:
    ///   - file: the file, which may be missing.
    ///   - record: the file's name as given by the user.
    /// - Throws: `unreadable` for anything else than an ordinary file.
    static func checkKind(of file: String, record: String) throws(StoreError) {
        for ending in ["", "-wal", "-shm", "-journal", "-tally"] {
            var status = stat()
            guard stat(file + ending, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { continue }
            throw .notOrdinary(record, ending: ending)
        }
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
