import Testing

@_spi(Baton) @testable import BatonStore

@Suite("Statements translated for PostgreSQL")
struct PostgreSQLDialectTests {
    @Test("The parts of a text make the text again, whatever is in quotes")
    func keepsText() {
        let texts = [
            "", " ", "SELECT a, b FROM t WHERE a = :first AND b IS NULL",
            "x'00ff' X'' xy 'it''s (:not, a parameter)' \"array\"",
            "'open", "a::bigint, :name", "1e6 >= 2 || '->' \n\t-- :x", "ä = 'ö' AND :a_b1(",
        ]
        for text in texts { #expect(SQLToken.tokens(of: text).map(\.text).joined() == text) }
    }

    @Test(
        "Each word that PostgreSQL does not know gets its place taken",
        arguments: [
            ("SELECT job FROM jobs WHERE job = :job", "SELECT job FROM jobs WHERE job = $1", ["job"]),
            (
                "SELECT job FROM jobs INDEXED BY jobs_by_retry WHERE job = :job OR job = :job AND job < :end",
                "SELECT job FROM jobs WHERE job = $1 OR job = $1 AND job < $2", ["job", "end"]
            ),
            (
                "SELECT 1 FROM jobs WHERE root IS NULL AND signal IS :signal AND root IS NOT NULL",
                "SELECT 1 FROM jobs WHERE root IS NULL AND signal IS NOT DISTINCT FROM $1 AND root IS NOT NULL",
                ["signal"]
            ),
            (
                "SELECT iif(:step = 1, max(a, iif(b, (c), 2)), 'iif(:x, 1, 2)') FROM jobs",
                "SELECT CASE WHEN $1 = 1 THEN max(a, CASE WHEN b THEN (c) ELSE 2 END) ELSE 'iif(:x, 1, 2)' END FROM jobs",
                ["step"]
            ),
            (
                "SELECT array, x'', x'0aFF' FROM entries",
                "SELECT \"array\", '\\x'::bytea, '\\x0aFF'::bytea FROM entries", []
            ),
            (
                "INSERT OR REPLACE INTO job_tags VALUES (:job, :tag, :value)",
                "INSERT INTO job_tags VALUES ($1, $2, $3) ON CONFLICT (job, tag) DO UPDATE SET value = excluded.value",
                ["job", "tag", "value"]
            ),
            (
                "INSERT OR REPLACE INTO removed_jobs VALUES (:job)",
                "INSERT INTO removed_jobs VALUES ($1) ON CONFLICT (job) DO NOTHING", ["job"]
            ),
        ] as [(String, String, [String])]
    )
    func translates(_ sql: String, _ expected: String, _ parameters: [String]) throws {
        let translation = try PostgreSQLDialect.translate(sql)
        #expect(translation.text == expected)
        #expect(translation.parameters.map(\.name) == parameters)
    }

    @Test("A statement tells which table it changes, and whether it looks at rows")
    func findsTable() throws {
        let texts: [(String, table: String?, reads: Bool)] = [
            ("SELECT max(job) FROM jobs", nil, true),
            ("INSERT INTO jobs (job) VALUES (:job)", "jobs", false),
            ("UPDATE meta SET value = :count WHERE key = 'epoch'", "meta", false),
            ("DELETE FROM hooks WHERE job = :job", "hooks", false),
            ("DELETE FROM hooks WHERE job IN (SELECT job FROM jobs)", "hooks", true),
            ("WITH f AS (UPDATE jobs SET is_open = 0 RETURNING job) UPDATE meta SET value = 1", "jobs", true),
            ("INSERT INTO outputs SELECT * FROM outputs ON CONFLICT (job) DO UPDATE SET job = 1", "outputs", true),
        ]
        for (text, table, reads) in texts {
            let translation = try PostgreSQLDialect.translate(text)
            #expect(translation.table == table, "\(text)")
            #expect(translation.readsTables == reads, "\(text)")
        }
    }

    @Test("Only a row of parameters alone can go with others, with the types of the columns")
    func findsRows() throws {
        let row = try #require(try PostgreSQLDialect.translate("INSERT INTO job_tags VALUES (:job, :tag, :value)").row)
        #expect(row.columns == ["job", "tag", "value"])
        #expect(!row.isReplacing)
        let named = try PostgreSQLDialect.translate(
            "INSERT OR REPLACE INTO templates (template, job, argument) VALUES (:template, :job, :argument)",
            isOfColumns: true
        )
        #expect(named.row?.columns == ["template", "job", "argument"])
        #expect(named.row?.isReplacing == true)
        #expect(named.parameters.map(\.type) == [.integer, .integer, .any])
        let others = [
            "INSERT INTO removed_jobs VALUES (1)", "INSERT INTO job_tags VALUES (:job, :tag, :tag)",
            "INSERT INTO removed_jobs SELECT :job", "INSERT INTO job_tags VALUES (:job, 'a', :value)",
            "INSERT INTO removed_jobs VALUES (:job) ON CONFLICT (job) DO NOTHING", "UPDATE jobs SET job = :job",
        ]
        for text in others {
            let isRow = try PostgreSQLDialect.translate(text).row != nil
            #expect(!isRow, "\(text)")
        }
    }

    @Test("A limit is told from other numbers, in whatever order they come")
    func findsLimits() throws {
        let parameters = try PostgreSQLDialect.translate(
            "SELECT 1 FROM jobs WHERE job > :limit - :count LIMIT :limit OFFSET :from"
        ).parameters
        #expect(parameters.map(\.name) == ["limit", "count", "from"])
        #expect(parameters.map(\.isLimit) == [true, false, false])
    }

    @Test("Tables and parameters that nobody knows are refused")
    func refusesUnknown() {
        for text in ["DELETE FROM nothing", "SELECT :nothing", "UPDATE jobs SET job = :Job"] {
            #expect(throws: SQLError.self, "\(text)") { try PostgreSQLDialect.translate(text) }
        }
        #expect(throws: SQLError.self) {
            try PostgreSQLDialect.translate("UPDATE jobs SET job = :tag", isOfColumns: true)
        }
    }

    @Test("Many rows are one statement with an array for each column")
    func batches() throws {
        let table = try #require(Schema.shapes.first { $0.name == "entries" })
        let text = PostgreSQLDialect.batch(into: table, columns: ["job", "first", "array"], isReplacing: false)
        #expect(
            text == """
                INSERT INTO entries (job, first, "array") SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[])
                """
        )
        let replacing = PostgreSQLDialect.batch(into: table, columns: ["job", "first"], isReplacing: true)
        #expect(
            replacing.contains(") ON CONFLICT (job, first) DO UPDATE SET count = excluded.count, name = excluded.name")
        )
        #expect(replacing.hasSuffix("array_step = excluded.array_step"))
    }

    @Test("The tables are those of a file, without what only SQLite knows")
    func makesTables() throws {
        let statements = try PostgreSQLSchema.statements(schema: "baton_test")
        let tables = statements.filter { $0.hasPrefix("CREATE TABLE ") }
        #expect(tables.count == Schema.shapes.count + 3)
        for shape in Schema.shapes {
            #expect(tables.contains { $0.hasPrefix("CREATE TABLE \(shape.name) (") }, "\(shape.name)")
        }
        for word in ["STRICT,", "WITHOUT ROWID", "INTEGER", " TEXT", "BLOB", " ANY", "iif(", "--", ";"] {
            #expect(!tables.contains { $0.contains(word) }, "\(word)")
        }
        let operations = try #require(tables.first { $0.hasPrefix("CREATE TABLE operations (") })
        #expect(operations.hasSuffix("PRIMARY KEY (job, first)\n) WITH (fillfactor = 50)"))
    }
}
