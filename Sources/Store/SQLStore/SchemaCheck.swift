/// The check of a record's tables, indexes and views against those that this build makes.
///
/// A trigger, or a constraint that drops rows, would take away what was acknowledged, and SQLite would report success. A missing index
/// that makes keys unique would let a job be accepted twice.
enum SchemaCheck {
    /// A table, a column, an index or a view.
    struct Part: Hashable, Sendable {
        /// The table that the part belongs to; the view's own name for a view.
        var table: String
        /// What has to be the same in each record.
        var form: String
        /// Whether such a part of a table of Baton's must not be there unless Baton made it.
        var isExclusive: Bool
    }

    /// Checks the tables of a record of Baton; no other process may change the tables during the check.
    ///
    /// The parts of a record of an earlier version are not known any more, but for triggers, of which there never was one. What a person
    /// has added for queries is left alone: tables, views, and indexes that are not unique.
    ///
    /// - Throws: `corrupt` for a record with other parts.
    static func run(on database: Database) throws(SQLError) {
        guard try database.number("PRAGMA application_id") == Migration.applicationID else { return }
        let trigger = try database.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
            .first { row throws(SQLError) in try row.text(0) }
        if let trigger { throw .damaged("it has the trigger \(trigger), which Baton did not make") }
        guard try database.number("PRAGMA user_version") == Int64(Schema.current.version) else { return }
        let found = try parts(of: database)
        for (name, part) in expected.sorted(by: { $0.key < $1.key }) {
            guard let other = found[name] else { throw .damaged("it has no \(name)") }
            guard other.form == part.form else { throw .damaged("its \(name) is not as Baton made it") }
        }
        for (name, part) in found.sorted(by: { $0.key < $1.key }) where part.isExclusive && expected[name] == nil {
            guard expected["table \(part.table)"] == nil else {
                throw .damaged("it has the \(name), which Baton did not make")
            }
        }
    }

    /// The parts of a new record, by their names.
    private static let expected: [String: Part] = {
        do throws(SQLError) {
            let database = try Database.inMemory()
            try database.execute(Schema.current.tables)
            return try parts(of: database)
        } catch {
            // Without memory, nothing else works either.
            return [:]
        }
    }()

    /// Reads the parts of a database, by their names.
    private static func parts(of database: Database) throws(SQLError) -> [String: Part] {
        var parts: [String: Part] = [:]
        try database.prepare(query).forEach { row throws(SQLError) in
            parts[try row.text(0)] = Part(
                table: try row.text(1),
                form: try row.text(2),
                isExclusive: try row.number(3, as: Int64.self) == 1
            )
            return true
        }
        return parts
    }

    /// The name, the table and the form of each part, and whether it is exclusive.
    ///
    /// A migrated table has the columns of a new one, in another order and another text. The text of a view, and the words for
    /// constraints in that of a table, are compared without spaces.
    private static let query = """
        SELECT 'column named ' || c.name || ' of the table ' || m.name, m.name, c.type || ' ' || c."notnull" || c.pk || c.hidden, 1
            FROM sqlite_schema m, pragma_table_xinfo(m.name) c WHERE m.type = 'table'
        UNION ALL
        SELECT 'index ' || l.name || ' of the table ' || m.name, m.name, l."unique" || l.partial || ' '
            || (SELECT group_concat(coalesce(x.name, '-') || ' ' || x."desc" || ' ' || x.coll) FROM pragma_index_xinfo(l.name) x
                WHERE x."key"), l."unique"
            FROM sqlite_schema m, pragma_index_list(m.name) l WHERE m.type = 'table'
        UNION ALL
        SELECT type || ' ' || name, name, iif(type = 'view', text, (text LIKE '%ONCONFLICT%') || (text LIKE '%CHECK(%')
                || (text LIKE '%REFERENCES%') || (text LIKE '%COLLATE%') || (text LIKE '%WITHOUTROWID%') || (text LIKE '%STRICT%')), 0
            FROM (SELECT type, name, replace(replace(sql, char(10), ''), ' ', '') AS text FROM sqlite_schema
                WHERE type IN ('table', 'view'))
        """
}
