import Testing

@_spi(Baton) @testable import BatonStore

/// What is read from the text of the tables, compared with what SQLite makes of it.
@Suite("The shapes of tables")
struct SchemaShapeTests {
    private let database: Database

    init() throws {
        database = try Database.inMemory()
        try database.execute(Schema.current.tables)
    }

    private func texts(_ sql: String) throws -> [String] {
        var texts: [String] = []
        try database.prepare(sql).forEach { row throws(SQLError) in
            texts.append(try row.text(0))
            return true
        }
        return texts
    }

    @Test("There is a shape for each table, in the order of the text")
    func tables() throws {
        let names = try texts("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid")
        #expect(Schema.shapes.map(\.name) == names && names.count > 20)
    }

    @Test("A shape has the columns, their types, and the key of its table", arguments: Schema.shapes.map(\.name))
    func columns(_ table: String) throws {
        let shape = try #require(Schema.shapes.first { $0.name == table })
        let found = try texts(
            """
            SELECT name || ' ' || type || iif("notnull" OR pk, '', ' optional') FROM pragma_table_info('\(table)') ORDER BY cid
            """
        )
        let words: [ColumnType: String] = [.integer: "INTEGER", .text: "TEXT", .bytes: "BLOB", .any: "ANY"]
        let columns = shape.columns.map { "\($0.name) \(words[$0.type] ?? "")" + ($0.isOptional ? " optional" : "") }
        #expect(columns == found)
        #expect(try shape.key == texts("SELECT name FROM pragma_table_info('\(table)') WHERE pk > 0 ORDER BY pk"))
    }

    @Test("A shape has the indexes of its table", arguments: Schema.shapes.map(\.name))
    func indexes(_ table: String) throws {
        let shape = try #require(Schema.shapes.first { $0.name == table })
        let found = try texts(
            "SELECT sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = '\(table)' AND sql IS NOT NULL ORDER BY rowid"
        )
        #expect(shape.indexes == found)
    }

    @Test("The statements of the text make the same tables one by one")
    func statements() throws {
        let other = try Database.inMemory()
        for statement in Schema.statements(of: Schema.current.tables) { try other.execute(statement) }
        func parts(of database: Database) throws -> [String] {
            var parts: [String] = []
            let statement = try database.prepare("SELECT type || ' ' || name FROM sqlite_schema ORDER BY rowid")
            try statement.forEach { row throws(SQLError) in
                parts.append(try row.text(0))
                return true
            }
            return parts
        }
        #expect(try parts(of: other) == parts(of: database))
        #expect(try other.number("SELECT count(*) FROM meta") == database.number("SELECT count(*) FROM meta"))
    }
}
