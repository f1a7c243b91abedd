import Testing

@_spi(Baton) @testable import BatonStore

@Suite("Rows that go to a server together")
struct WriteBatchTests {
    private func batch(_ sql: String) throws -> WriteBatch {
        WriteBatch(try #require(try PostgreSQLDialect.translate(sql).row))
    }

    private static let replacing = "INSERT OR REPLACE INTO job_tags VALUES (:job, :tag, :value)"
    private static let inserting = "INSERT INTO job_tags VALUES (:job, :tag, :value)"

    private func tag(_ job: Int64, _ tag: String, _ value: String) -> [PostgreSQLValue] {
        [.number(job), .text(Array(tag.utf8)), .text(Array(value.utf8))]
    }

    /// Some values as an array.
    private func array(_ values: [PostgreSQLValue], as type: ColumnType) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try PostgreSQLValue.append(arrayOf: values.count, as: type, to: &bytes) { values[$0] }
        return bytes
    }

    @Test("The last row of a key counts where rows replace others, and every row where they do not")
    func keepsLastRow() throws {
        var replacing = try batch(Self.replacing)
        var inserting = try batch(Self.inserting)
        let rows = [tag(1, "a", "old"), tag(1, "b", "x"), tag(2, "a", "y"), tag(1, "a", "new"), tag(2, "a", "z")]
        for row in rows {
            replacing.add(row)
            inserting.add(row)
        }
        #expect(replacing.count == 3)
        #expect(inserting.count == 5)
        var expected = ServerParameters()
        let kept = [tag(1, "a", "new"), tag(1, "b", "x"), tag(2, "a", "z")]
        for (column, type) in [ColumnType.integer, .text, .text].enumerated() {
            try expected.append(arrayOf: 3, as: type) { kept[$0][column] }
        }
        #expect(try replacing.encoded().bytes == expected.bytes)
    }

    @Test("A batch ends at its number of rows or bytes, and is empty again after it was sent")
    func ends() throws {
        var batch = try batch(Self.replacing)
        for number in 0..<Int64(WriteBatch.mostRows) {
            #expect(!batch.isFull)
            batch.add(tag(number, "a", ""))
        }
        #expect(batch.isFull)
        batch.removeAll()
        #expect(batch.count == 0)
        #expect(!batch.isFull)
        batch.add(tag(0, "a", "b"))
        #expect(batch.count == 1)
        let long = String(repeating: "x", count: WriteBatch.mostBytes / 3)
        batch.add(tag(1, "a", long))
        batch.add(tag(2, "a", long))
        #expect(!batch.isFull)
        batch.add(tag(3, "a", long))
        #expect(batch.isFull)
    }

    @Test("Values have PostgreSQL's binary form")
    func encodes() throws {
        let cases: [(values: [PostgreSQLValue], type: ColumnType, bytes: [[UInt8]])] = [
            (
                [.number(1), .null, .number(-2)], .integer,
                [
                    [0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0, 1], [0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 1], [255, 255, 255, 255],
                    [0, 0, 0, 8, 255, 255, 255, 255, 255, 255, 255, 254],
                ]
            ),
            (
                [.text([]), .text([97]), .number(-12)], .text,
                [[0, 0, 0, 25, 0, 0, 0, 3, 0, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 1, 97], [0, 0, 0, 3, 45, 49, 50]]
            ),
            (
                [.bytes([0, 255]), .text([120])], .any,
                [[0, 0, 0, 17, 0, 0, 0, 2, 0, 0, 0, 1], [0, 0, 0, 2, 0, 255], [0, 0, 0, 1, 120]]
            ),
        ]
        // One dimension, and NULL is possible.
        let head: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 1]
        for (values, type, bytes) in cases { #expect(try array(values, as: type) == head + Array(bytes.joined())) }
    }

    @Test("A text keeps all but U+0000, which PostgreSQL has not, and a number is no text")
    func replacesNul() throws {
        var bytes: [UInt8] = []
        try PostgreSQLValue.text(Array("a\0b\0".utf8)).append(as: .text, to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == "a\u{FFFD}b\u{FFFD}")
        bytes = []
        try PostgreSQLValue.bytes([0, 1]).append(as: .bytes, to: &bytes)
        #expect(bytes == [0, 1])
        #expect(throws: SQLError.self) { try PostgreSQLValue.text([49]).append(as: .integer, to: &bytes) }
    }

    @Test("Empty values are told from NULL in a message")
    func keepsEmpty() throws {
        var parameters = ServerParameters()
        try parameters.append(.text([]), as: .text)
        try parameters.append(.null, as: .text)
        try parameters.append(.number(7), as: .integer)
        let seen = parameters.withPointers { count, values, lengths, _ in
            (0..<Int(count)).map { place in values?[place] == nil ? -1 : lengths?[place] ?? -2 }
        }
        #expect(seen == [0, -1, 8])
        #expect(ServerParameters().withPointers { count, values, _, _ in count == 0 && values == nil })
    }
}
