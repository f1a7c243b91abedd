/// The mark of a record that was moved to another place: in the table `meta`, the key `moved`, and a key that tells the place.
enum RecordMove {
    /// What stands before the place in its key.
    static let prefix = "moved to "

    /// Whether a key of the table `meta` is part of a mark.
    static func isMark(_ key: String) -> Bool { key == "moved" || key.hasPrefix(prefix) }

    /// Where a record was moved to; nil for one that was not.
    static func place(in engine: SQLStore.Engine, _ statements: Statements) throws(SQLError) -> String? {
        statements.record.meta.bind(.key, text: "moved")
        guard try statements.record.meta.first({ _ in true }) == true else { return nil }
        let statement = Statement(
            "SELECT substr(key, 10) FROM meta WHERE key > 'moved to ' AND key < 'moved to!' LIMIT 1"
        )
        try engine.attach(statement)
        return try statement.first { row throws(SQLError) in try row.text(0) } ?? "another place"
    }

    /// Marks a record, in the place of an earlier mark.
    static func note(_ place: String, in engine: SQLStore.Engine) throws(SQLError) {
        try forget(in: engine)
        let statement = Statement("INSERT INTO meta (key, value) VALUES ('moved', 1), (:name, 1)")
        try engine.attach(statement)
        statement.bind(.name, text: prefix + place)
        try statement.run()
    }

    /// Removes the mark of a record, if it has one.
    static func forget(in engine: SQLStore.Engine) throws(SQLError) {
        let statement = Statement("DELETE FROM meta WHERE key = 'moved' OR key > 'moved to ' AND key < 'moved to!'")
        try engine.attach(statement)
        try statement.run()
    }
}
