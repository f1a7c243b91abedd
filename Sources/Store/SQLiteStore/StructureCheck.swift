/// Whether the pages of a record's file fit together, which SQLite itself only notices where it meets one that does not.
///
/// What stands in them is checked where it is read: a text or number with a flipped bit is a text or number to SQLite.
enum StructureCheck {
    /// Up to how many bytes a file is always checked; a larger one is only where its coordinator did not end in order.
    private static let smallFile: Int64 = 1 << 30

    /// Checks a file that belongs to Baton.
    ///
    /// - Parameters:
    ///   - database: the open file.
    ///   - size: up to how many bytes it is read in any case.
    /// - Returns: whether the file is marked as open: its last coordinator did not end in order.
    /// - Throws: `corrupt` where something does not fit.
    /// - Complexity: O(bytes of the file).
    static func run(on database: Database, upTo size: Int64 = smallFile) throws(SQLiteError) -> Bool {
        guard try database.number("PRAGMA application_id") == Migration.applicationID else { return false }
        let mark = try mark(of: database)
        let pages = try database.number("PRAGMA page_count") ?? 0
        let bytes = pages.multipliedReportingOverflow(by: try database.number("PRAGMA page_size") ?? 0).partialValue
        if mark != 0 || bytes <= size {
            let found = try database.prepare("PRAGMA quick_check(1)").first { row throws(SQLiteError) in try row.text(0)
            }
            guard let found else { throw .damaged("nothing can be said of its structure") }
            if found != "ok" { throw .damaged("its structure is damaged: \(found.split(separator: "\n").last ?? "")") }
        }
        return mark == 1
    }

    /// The mark of a record that is open, 0 for one that is not; nil in one of a version that had none.
    private static func mark(of database: Database) throws(SQLiteError) -> Int64? {
        guard try database.number("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'meta'") == 1
        else {
            return nil
        }
        do throws(SQLiteError) {
            return try database.number("SELECT value FROM meta WHERE key = 'is_open'")
        } catch  where error.code.primary == .statement {
            throw .damaged(error.message)
        }
    }
}
