/// A file of another record among the files of a record.
///
/// A record has an identity, a random number that was drawn when it was made, and that is in each commit of its log; its tally has it,
/// too. SQLite reads any log into any file.
enum RecordMismatch: Hashable {
    /// The log alone is of another record.
    case log
    /// The file alone is of another record.
    case file
    /// The file and the log are of different records, and the tally does not tell which of the two is foreign.
    case fileOrLog
    /// The tally is of another record than all that is read.
    case tally
    /// The file is an older copy, without commits from before the first one in the log.
    case olderFile
}

extension RecordMismatch {
    /// Compares the identities of a record's files; an identity is nil where it is missing or cannot be read.
    ///
    /// - Parameters:
    ///   - tally: what the tally says.
    ///   - read: what SQLite reads, with the log.
    ///   - file: what is in the file without the log; that of `read` where there is no log.
    static func found(tally: UInt64?, read: UInt64?, file: UInt64?) -> RecordMismatch? {
        guard let read else { return nil }
        if let file, file != read {
            if let tally, tally == file { return .log }
            if let tally, tally == read { return .file }
            return .fileOrLog
        }
        guard let tally, tally != read else { return nil }
        // A file that nothing was copied into yet has no identity of its own.
        return file == nil ? .log : .tally
    }

    /// Compares the files of a record on a disk of the system; nothing on the disk is changed.
    ///
    /// - Parameters:
    ///   - tally: the tally of the record, or what is in its place.
    ///   - database: the open record.
    ///   - file: the record's file, without symbolic links.
    static func found(by tally: TallyFile.Content, in database: Database, file: String) -> RecordMismatch? {
        let read = RecordIdentity(of: database)?.number
        guard !RecordFile.isMissingOrEmpty(file + "-wal") else {
            return found(tally: tally.identity, read: read, file: read)
        }
        let withoutLog = try? Database(withoutLog: file)
        let alone = withoutLog.flatMap { RecordIdentity(of: $0)?.number }
        return found(tally: tally.identity, read: read, file: alone)
            ?? (isOlder(file, than: database) ? .olderFile : nil)
    }

    /// Whether a file lacks commits from before the first one in its log: more are missing in it than the log has.
    ///
    /// A log begins anew only once the file has all that was in it before.
    private static func isOlder(_ file: String, than database: Database) -> Bool {
        do throws(SQLError) {
            // A coordinator may copy the log into the file meanwhile, and begin it anew: the file has all then, and is read last.
            try database.execute("BEGIN")
            defer { try? database.execute("COMMIT") }
            let sql = "SELECT commits FROM meta WHERE key = 'clock'"
            guard let newest = try database.number(sql) else { return false }
            var inLog: Int64 = 0
            try LogFrames.forEach(of: database, file) { frame in
                if frame.isCommit { inLog += 1 }
                return true
            }
            guard let own = try Database(withoutLog: file).number(sql) else { return false }
            return newest.subtractingReportingOverflow(own).partialValue > inLog
        } catch {
            return false
        }
    }
}
