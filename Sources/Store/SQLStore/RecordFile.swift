#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The preparations before SQLite can open a record.
enum RecordFile {
    /// What the names of SQLite's files beside a record have behind the record's name.
    static let endingsOfSQLite = ["-wal", "-shm", "-journal"]

    /// What the names of the files beside a record have behind the record's name.
    static let endings = endingsOfSQLite + [TallyFile.path(of: ""), ".lock"]

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

    /// Whether there is no file at a path, or an empty one; a link counts as none, and is refused as such.
    static func isMissingOrEmpty(_ file: String) -> Bool {
        var status = stat()
        guard lstat(file, &status) == 0 else { return errno == ENOENT }
        return status.st_mode & S_IFMT == S_IFLNK || status.st_size == 0
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
            if !isMissingOrEmpty(path + "-wal") { return path }
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
        for ending in [""] + endingsOfSQLite + [TallyFile.path(of: "")] {
            var status = stat()
            guard stat(file + ending, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { continue }
            throw .notOrdinary(record, ending: ending)
        }
    }

    /// Checks that SQLite plays no journal back into a record but one of the record's own.
    ///
    /// A record has a write-ahead log. There is a rollback journal for one page alone, while the first start after the making of the
    /// file, or after a restore, gives the file its log.
    ///
    /// - Parameters:
    ///   - file: the record's file, without symbolic links.
    ///   - record: the record's name as given by the user.
    /// - Throws: `unreadable` for a journal of more pages, or of a file of another length.
    static func checkJournal(of file: String, record: String) throws(StoreError) {
        let descriptor = open(file + "-journal", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var header = [UInt8](repeating: 0, count: 28)
        let count = pread(descriptor, &header, header.count, 0)
        // SQLite plays nothing back that begins with a zero.
        guard count > 0, header[0] != 0 else { return }
        func word(_ start: Int) -> Int64 { header[start..<start + 4].reduce(0) { $0 << 8 | Int64($1) } }
        let (pages, sector, page) = (word(16), word(20), word(24))
        var (status, journal) = (stat(), stat())
        guard stat(file, &status) == 0, fstat(descriptor, &journal) == 0 else { return }
        let length = Int64(status.st_size)
        // A new file has no page before, and one page then. A page has its number before it, and a checksum behind.
        let isOfFile = pages &* page == length || pages == 0 && length <= page
        let isOwn = isOfFile && Int64(journal.st_size) <= sector + page + 8
        if count < header.count || !isOwn { throw .foreignJournal(record) }
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
