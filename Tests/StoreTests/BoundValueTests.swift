import Testing

@testable import BatonStore

@Suite("Values of a statement's parameters")
struct BoundValueTests {
    @Test("A value is bound where it differs from the one before")
    func differences() {
        let bound = BoundValues()
        let values: [(BoundValues.Value, Bool)] = [
            (.number(1), true), (.number(1), false), (.null, true), (.null, false), (.number(1), true),
            (BoundValues.Value("ready"), true), (BoundValues.Value("ready"), false), (BoundValues.Value(""), true),
            (BoundValues.Value("\u{e9}"), true), (BoundValues.Value("e\u{301}"), true), (BoundValues.Value("\0"), true),
            (BoundValues.Value("123456789012345"), true), (BoundValues.Value("123456789012345"), false),
            (BoundValues.Value("123456789012344"), true),
        ]
        for (value, isNew) in values {
            let isBound = bound.replace(2, by: value)
            #expect(isBound == isNew, "\(value)")
        }
        let others = [bound.replace(1, by: .null), bound.replace(3, by: .null)]
        #expect(others == [true, true])
    }

    @Test("Long texts, and what is not compared, are always bound")
    func unknown() {
        let bound = BoundValues()
        let long = String(repeating: "a", count: BoundValues.longestText + 1)
        var answers = (0..<2).map { _ in bound.replace(1, by: BoundValues.Value(long)) }
        answers.append(bound.replace(2, by: .null))
        bound.forget(2)
        answers.append(bound.replace(2, by: .null))
        bound.forgetAll()
        answers.append(bound.replace(2, by: .null))
        #expect(answers == [true, true, true, true, true])
    }

    @Test("Parameters that a statement cannot have are left to SQLite")
    func impossible() {
        let bound = BoundValues()
        let answers = [0, 0, -1, -1, 10_000, 10_000].map { bound.replace($0, by: .null) }
        #expect(answers == Array(repeating: true, count: 6))
    }

    @Test("Rows have the values of their own binds", arguments: [nil, "a", "", String(repeating: "ä", count: 40)])
    func rows(text: String?) throws {
        let directory = try TemporaryDirectory()
        let database = try Database(path: directory.file("test.db"))
        try database.execute("CREATE TABLE rows (number INTEGER, text TEXT, bytes BLOB)")
        let insert = try database.prepare("INSERT INTO rows VALUES (?1, ?2, ?3)")
        let texts = ["a", text, text, nil, text, "b"]
        for (number, text) in texts.enumerated() {
            insert.bind(1, Int64(number / 2))
            insert.bind(2, text: text)
            insert.bind(3, bytes: text.map { Array($0.utf8) })
            try insert.run()
        }
        var found: [String] = []
        let select = try database.prepare("SELECT number, text, bytes FROM rows ORDER BY rowid")
        try select.forEach { row throws(SQLError) in
            let number: Int = try row.number(0)
            let bytes = row.optionalBytes(2).map { String(decoding: $0, as: UTF8.self) }
            found.append("\(number) \(String(describing: try row.optionalText(1))) \(String(describing: bytes))")
            return true
        }
        let expected = texts.enumerated().map { "\($0 / 2) \(String(describing: $1)) \(String(describing: $1))" }
        #expect(found == expected)
    }
}
