@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonStore

@Suite("The layer over SQLite")
struct SQLiteLayerTests {
    private let directory: TemporaryDirectory
    private let database: Database

    init() throws {
        directory = try TemporaryDirectory()
        database = try Database(path: directory.file("test.db"))
        try database.execute("CREATE TABLE t (a, b)")
    }

    @Test("A row returns texts, bytes and numbers as they were bound, and refuses another type")
    func roundTrips() throws {
        let insert = try database.prepare("INSERT INTO t VALUES (?1, ?2)")
        let texts = ["", "a", "with\0NUL", "🎈", String(repeating: "long ", count: 1000)]
        let blobs: [[UInt8]] = [[], [0], [255, 0, 1]]
        for text in texts {
            insert.bind(1, text: text)
            insert.bind(2, Int64.min)
            try insert.run()
        }
        for blob in blobs {
            insert.bind(1, bytes: blob)
            insert.bind(2, UInt32.max)
            try insert.run()
        }
        var foundTexts: [String] = []
        try database.prepare("SELECT a, b FROM t WHERE typeof(a) = 'text' ORDER BY rowid").forEach {
            row throws(SQLError) in
            foundTexts.append(try row.text(0))
            #expect(try row.number(1, as: Int64.self) == .min)
            #expect(throws: SQLError.self) { try row.number(1, as: UInt32.self) }
            #expect(throws: SQLError.self) { try row.number(0, as: Int.self) }
            return true
        }
        #expect(foundTexts == texts)
        var foundBlobs: [[UInt8]] = []
        try database.prepare("SELECT a, b FROM t WHERE typeof(a) = 'blob' ORDER BY rowid").forEach {
            row throws(SQLError) in
            foundBlobs.append(row.optionalBytes(0) ?? [99])
            #expect(try row.number(1, as: UInt32.self) == .max)
            #expect(throws: SQLError.self) { try row.text(0) }
            return true
        }
        #expect(foundBlobs == blobs)
    }

    @Test("A nil is bound as NULL and read as nil")
    func bindsNull() throws {
        let insert = try database.prepare("INSERT INTO t VALUES (?1, ?2)")
        insert.bind(1, nil)
        insert.bind(2, text: nil)
        try insert.run()
        insert.bind(1, bytes: nil)
        try insert.run()
        #expect(try database.number("SELECT count(*) FROM t WHERE a IS NULL AND b IS NULL") == 2)
        let isNull = try database.prepare("SELECT a FROM t").first { row throws(SQLError) in
            (row.isNull(0), try row.optional(0, as: Int.self), try row.optionalText(0), row.optionalBytes(0))
        }
        #expect(isNull?.0 == true && isNull?.1 == nil && isNull?.2 == nil && isNull?.3 == nil)
    }

    @Test("A failed statement throws SQLite's message, and a statement stays usable after an error")
    func reportsErrors() throws {
        let error = try #require(throws: SQLError.self) { try database.execute("SELECT x FROM nowhere") }
        #expect(error.message == "no such table: nowhere")
        let misnamed = try database.prepare("SELECT :job")
        misnamed.bind(.operation, 5)
        misnamed.bind(.job, 5)
        #expect(throws: SQLError.self) { try misnamed.step() }
        let tooMany = try database.prepare("SELECT ?1")
        tooMany.bind(2, 5)
        #expect(throws: SQLError.self) { try tooMany.step() }
        tooMany.bind(1, 5)
        #expect(try tooMany.first { row throws(SQLError) in try row.number(0, as: Int.self) } == 5)
    }

    @Test("A transaction is rolled back when its body throws")
    func rollsBack() throws {
        #expect(throws: SQLError.self) {
            try database.transaction { () throws(SQLError) in
                try database.execute("INSERT INTO t VALUES (1, 2)")
                throw SQLError.damaged("no more")
            }
        }
        #expect(try database.number("SELECT count(*) FROM t") == 0)
        try database.transaction { () throws(SQLError) in try database.execute("INSERT INTO t VALUES (1, 2)") }
        #expect(try database.number("SELECT count(*) FROM t") == 1)
    }

    @Test(
        "A text of dependencies is parsed into its targets and conditions",
        arguments: [
            ("any /0", [DependencyText.Item(target: .sameJob(0), condition: .any)]),
            (
                "success /4294967295, failure 12/3, any 7",
                [
                    DependencyText.Item(target: .sameJob(.max), condition: .success),
                    DependencyText.Item(target: .other(.operation(OperationID(12, 3))), condition: .failure),
                    DependencyText.Item(target: .other(.job(JobNumber(7))), condition: .any),
                ]
            ),
            (
                "any 1/a,b, any 1/c,",
                [
                    DependencyText.Item(target: .other(.named(JobNumber(1), "a,b")), condition: .any),
                    DependencyText.Item(target: .other(.named(JobNumber(1), "c,")), condition: .any),
                ]
            ),
            ("", []),
        ]
    )
    func readsDependencies(_ text: String, _ items: [DependencyText.Item]) throws {
        let bytes = Array(text.utf8)
        #expect(try bytes.withUnsafeBufferPointer { try DependencyText.read($0) } == items)
    }

    @Test("The JSON that the writer makes is read back unchanged, also by SQLite")
    func writesJSON() throws {
        let text = "quote\" \\ \n\t\u{1}\u{1F} 🎈"
        let json = JSONValue.object(["key\"": .array([.string(text), .integer(.min)])])
        #expect(JSONValue(json.text) == json)
        let statement = try database.prepare("SELECT json_extract(?1, '$.key\\\"[0]'), json_valid(?1)")
        statement.bind(1, text: json.text)
        let valid = try statement.first { row throws(SQLError) in try row.number(1, as: Int.self) }
        #expect(valid == 1)
        let element = try database.prepare("SELECT value FROM json_each(?1)")
        element.bind(1, text: JSONValue.strings([text]).text)
        #expect(try element.first { row throws(SQLError) in try row.text(0) } == text)
    }
}
