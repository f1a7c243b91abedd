import BatonTestServers
import Testing

@_spi(Baton) @testable import BatonStore

@Suite("Every statement of the store on a server", .enabled(if: PostgreSQLServer.isThere))
struct EveryStatementTests {
    @Test("The server knows every table, column and function of every statement")
    func prepares() throws {
        let leader = try ServerLeader()
        let all = leader.statements.all + (leader.statements.server?.all ?? [])
        #expect(all.count > 150)
        for (number, statement) in all.enumerated() {
            let translation = try PostgreSQLDialect.translate(statement.sql, isOfColumns: statement.isOfColumns)
            let types = translation.parameters.map(\.type.name).joined(separator: ", ")
            let head = types.isEmpty ? "p\(number)" : "p\(number)(\(types))"
            #expect(throws: Never.self, "\(statement.sql)") {
                try leader.session.reader.execute("PREPARE \(head) AS \(translation.text)")
            }
        }
    }

    @Test(
        "Every write of rows takes any number of them, and the same keys again where it replaces",
        arguments: [1, 2, 2001]
    )
    func batches(_ count: Int) throws {
        let leader = try ServerLeader()
        var tables: Set<String> = []
        for statement in leader.statements.all {
            let translation = try PostgreSQLDialect.translate(statement.sql, isOfColumns: statement.isOfColumns)
            guard statement.isOfColumns, let row = translation.row else { continue }
            tables.insert(row.table.name)
            // The table has one row, whose key is 1.
            let rows = row.table.name == "totals" ? 1 : count
            let before = try leader.session.reader.number("SELECT count(*) FROM \(row.table.name)") ?? 0
            let again = row.isReplacing ? 2 : 1
            try leader.session.transaction { () throws(SQLError) in
                for number in 0..<rows * again {
                    Self.bind(number % rows, of: row, to: statement)
                    try statement.run()
                }
            }
            if row.isReplacing {
                try leader.session.transaction { () throws(SQLError) in
                    Self.bind(0, of: row, to: statement)
                    try statement.run()
                }
            }
            let after = try leader.session.reader.number("SELECT count(*) FROM \(row.table.name)") ?? 0
            #expect(after == before + Int64(rows), "\(row.table.name)")
            try leader.session.writer.execute("DELETE FROM \(row.table.name)")
        }
        #expect(tables.count > 20)
    }

    /// Gives the parameters the values of a row; each row has another key, and other texts.
    private static func bind(_ number: Int, of row: PostgreSQLDialect.Row, to statement: Statement) {
        for (place, column) in row.columns.enumerated() {
            let parameter = Int32(place) + 1
            switch row.table.type(of: column) {
            case .integer?: statement.bind(parameter, row.table.name == "totals" ? 1 : Int64(number))
            case .text?: statement.bind(parameter, text: "\(column) \(number)")
            case .bytes?, .any?, nil: statement.bind(parameter, bytes: [UInt8](repeating: 9, count: number % 50))
            }
        }
    }

    @Test("The views for people have the columns of those in a file")
    func hasViews() throws {
        let leader = try ServerLeader()
        let database = try Database.inMemory()
        try database.execute(Schema.current.tables)
        let views = Schema.statements(of: Schema.current.tables).filter { $0.hasPrefix("CREATE VIEW ") }
            .compactMap { $0.split(separator: " ").dropFirst(2).first.map(String.init) }
        #expect(views.count == 7)
        for view in views {
            let inFile = try database.prepare("SELECT * FROM \(view)")
            let onServer = try leader.session.reader.rows("SELECT * FROM \(view) LIMIT 1")
            let names = (0..<inFile.columnCount).map { inFile.columnName($0) }
            #expect((0..<onServer.columnCount).map { onServer.name($0) } == names, "\(view)")
        }
    }
}
