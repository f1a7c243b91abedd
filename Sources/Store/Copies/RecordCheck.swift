@_spi(Baton) import BatonOperations

/// The check of a copy of a record, which nobody else has open.
enum RecordCheck {
    /// Checks the structure of a copy, and all values that a coordinator reads at its start.
    ///
    /// The values of a copy of an earlier version are not read: the copy would have to be changed for that.
    ///
    /// - Parameters:
    ///   - file: the copy.
    ///   - name: the name of the file that the user knows.
    /// - Throws: `unreadable` for a file that is not a whole record of Baton, or has a version that this build does not know.
    /// - Complexity: O(bytes of the file).
    static func run(on file: String, knownAs name: String) throws(StoreError) -> RecordContents {
        let version: Int64?
        let contents: RecordContents
        do throws(SQLError) {
            let database = try Database(path: file, isReadOnly: true)
            try checkKind(of: database)
            try LengthCheck.run(on: database, file: file)
            version = try database.number("PRAGMA user_version")
            try checkStructure(of: database)
            contents = try RecordContents(of: database)
        } catch {
            throw StoreError(error, path: name)
        }
        guard version == Int64(Schema.current.version) else { return contents }
        do throws(StoreError) {
            let reader = try SQLStore(reading: file, file: file, on: nil, OperationHistoryCache())
            let next = JobNumber((contents.newestJob?.rawValue ?? 0) &+ 1)
            _ = try reader.readState(epoch: 1, nextJob: next)
        } catch {
            throw StoreError(error.code, error.message.replacing(file, with: name), mayPass: error.mayPass)
        }
        return contents
    }

    /// Checks that a file is a record of a version that this build knows.
    static func checkKind(of database: Database) throws(SQLError) {
        guard try database.number("PRAGMA application_id") == Migration.applicationID else {
            throw .damaged("it is no record of Baton")
        }
        let version = try database.number("PRAGMA user_version") ?? 0
        let schema = Schema.current
        guard version <= schema.version else {
            throw .damaged(
                "it was written by a newer Baton (version \(version); this one knows up to \(schema.version))"
            )
        }
        guard version >= schema.oldestVersion else {
            throw .damaged(
                "it was written by an older Baton (version \(version); this one knows from \(schema.oldestVersion) on)"
            )
        }
    }

    /// Checks the pages, the indexes against their tables, and the tables against those that Baton makes.
    private static func checkStructure(of database: Database) throws(SQLError) {
        _ = try StructureCheck.run(on: database, upTo: .max)
        try SchemaCheck.run(on: database)
        let found = try database.prepare("PRAGMA integrity_check(1)").first { row throws(SQLError) in
            try row.text(0)
        }
        guard let found, found == "ok" else {
            throw .damaged("its structure is damaged: \(found?.split(separator: "\n").last ?? "")")
        }
    }
}
