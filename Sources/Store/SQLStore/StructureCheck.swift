/// The check of a record's file for pages that do not fit together.
///
/// SQLite by itself notices such a page only on reading the page. The values in the pages are checked on reading: for SQLite, a
/// text with a flipped bit is another text.
enum StructureCheck {
    /// The size in bytes up to which a file is always checked.
    ///
    /// A larger file is checked only if its coordinator did not end in order.
    private static let smallFile: Int64 = 1 << 30

    /// Checks a file that belongs to Baton.
    ///
    /// - Parameters:
    ///   - database: the open file.
    ///   - size: the size in bytes up to which the file is checked in any case.
    /// - Returns: whether the file is marked as open: its last coordinator did not end in order.
    /// - Throws: `corrupt` for a file with an inconsistency.
    /// - Complexity: O(bytes of the file).
    static func run(on database: Database, upTo size: Int64 = smallFile) throws(SQLError) -> Bool {
        guard try database.number("PRAGMA application_id") == Migration.applicationID else { return false }
        let mark = try mark(of: database)
        let pages = try database.number("PRAGMA page_count") ?? 0
        let bytes = pages.multipliedReportingOverflow(by: try database.number("PRAGMA page_size") ?? 0).partialValue
        if mark != 0 || bytes <= size {
            let found = try database.prepare("PRAGMA quick_check(1)").first { row throws(SQLError) in try row.text(0)
            }
            guard let found else { throw .damaged("nothing can be said of its structure") }
            if found != "ok" { throw .damaged("its structure is damaged: \(found.split(separator: "\n").last ?? "")") }
        }
        return mark == 1
    }

    /// Returns the mark: 1 in an open record, 0 in a closed record.
    private static func mark(of database: Database) throws(SQLError) -> Int64? {
        do throws(SQLError) {
            return try database.number("SELECT value FROM meta WHERE key = 'is_open'")
        } catch  where error.code.primary == .statement {
            throw .damaged(error.message)
        }
    }
}
