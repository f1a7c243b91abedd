#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Checks that nobody else could have made or changed a record: its jobs run as the coordinator's user.
enum RecordOwner {
    /// Checks the files of a record and their directory.
    ///
    /// A missing file is right. Members of a directory's or file's group may change it: the owner has let them.
    ///
    /// - Parameters:
    ///   - file: the record's file, without symbolic links.
    ///   - record: the record's name as given by the user.
    /// - Throws: `notAccessible` if another user owns the directory or one of the files, if all users may change it, or if a file
    ///   beside the record is a symbolic link or no file.
    static func check(_ file: String, record: String) throws(StoreError) {
        if let slash = file.lastIndex(of: "/") {
            try check(
                slash == file.startIndex ? "/" : String(file[..<slash]),
                of: file,
                isDirectory: true,
                record: record
            )
        }
        for ending in [""] + RecordFile.endings {
            try check(file + ending, of: file, isDirectory: false, record: record)
        }
    }

    private static func check(
        _ path: String,
        of file: String,
        isDirectory: Bool,
        record: String
    ) throws(StoreError) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            // What is missing or closed to this user shows when it is opened.
            return
        }
        guard status.st_mode & S_IFMT == (isDirectory ? S_IFDIR : S_IFREG) else {
            // The path of the record has no symbolic links. The system refuses to open a directory.
            if path == file, status.st_mode & S_IFMT == S_IFDIR { return }
            if path == file { throw .notOrdinary(record, ending: "") }
            if path == TallyFile.path(of: file) {
                throw .notOwn(
                    record,
                    "\(path) is a link, or no file. Put the record's own tally in its place. If that is gone, move this away: a record "
                        + "whose coordinator ended in order is whole without a tally, and another one starts with --accept-loss once."
                )
            }
            throw .notOwn(record, "\(path) is \(isDirectory ? "no directory" : "a link, or no file"). Remove it.")
        }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw .notOwn(
                record,
                "\(path) belongs to another user (\(status.st_uid)), who could add jobs to the record. Run the coordinator as "
                    + "that user, or make the file your own with chown."
            )
        }
        // In a directory such as /tmp, only the owner of a file may replace it.
        let isSticky = isDirectory && status.st_mode & mode_t(S_ISVTX) != 0
        guard status.st_mode & S_IWOTH == 0 || isSticky else {
            throw .notOwn(
                record,
                "All users may change \(path), and could add jobs to the record. Run: chmod o-w \(path)"
            )
        }
    }
}
