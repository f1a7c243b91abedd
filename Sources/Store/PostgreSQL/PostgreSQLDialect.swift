/// The texts that PostgreSQL gets in place of those for SQLite.
///
/// The translation is mechanical: it knows words, names and texts in quotes, and nothing of what a statement means.
enum PostgreSQLDialect {
    /// A statement for PostgreSQL.
    struct Translation {
        /// The text, with its parameters as `$1`, `$2` and so on.
        var text: String
        /// The parameters in this order.
        var parameters: [Parameter] = []
        /// The table that the statement changes; nil for a question.
        var table: String?
        /// Whether the statement looks at rows of its table or of others, and not only at its parameters.
        var readsTables = false
        /// The row that the statement writes with its parameters alone; nil if it does anything else.
        var row: Row?
    }

    /// A parameter of a statement.
    struct Parameter: Hashable {
        /// The name, without its colon.
        var name: String
        var type: ColumnType
        /// Whether it is a limit, of which a negative one means all rows.
        var isLimit = false
    }

    /// The row that a statement writes.
    struct Row {
        var table: TableShape
        /// The columns, each of which has the parameter of its place.
        var columns: [String]
        /// Whether the row takes the place of the one with its key.
        var isReplacing: Bool
    }

    /// Translates a statement.
    ///
    /// - Parameter isOfColumns: whether the parameters have the names of columns of the table that the statement changes.
    /// - Throws: `statement` for a table or a parameter that is not known.
    static func translate(_ sql: String, isOfColumns: Bool = false) throws(SQLError) -> Translation {
        let tokens = SQLToken.tokens(of: sql)
        let words = tokens.filter { $0.kind != .space }
        var translation = Translation(text: "")
        translation.table = changedTable(words)
        let isPlain = !words.contains { $0.isWord("SELECT") || $0.isWord("WITH") }
        translation.readsTables = !isPlain
        var shape: TableShape?
        if let table = translation.table {
            shape = Schema.shapes.first { $0.name == table }
            guard shape != nil else { throw SQLError(.statement, "the table \(table) is not known: \(sql)") }
        }
        var names: [String: Int] = [:]
        for (place, token) in words.enumerated() where token.kind == .parameter {
            let name = String(token.text.dropFirst())
            let isLimit = place > 0 && words[place - 1].isWord("LIMIT")
            if let known = names[name] {
                if isLimit { translation.parameters[known - 1].isLimit = true }
                continue
            }
            guard let type = parameterType(name, in: isOfColumns ? shape : nil) else {
                throw SQLError(.statement, "the parameter \(name) is not known: \(sql)")
            }
            translation.parameters.append(Parameter(name: name, type: type, isLimit: isLimit))
            names[name] = translation.parameters.count
        }
        translation.text = text(tokens[...], names)
        let isReplacing = words.count > 2 && words[0].isWord("INSERT") && words[1].isWord("OR")
        if let shape {
            let columns = insertedColumns(words, of: shape)
            if isReplacing { translation.text += conflict(of: shape, columns) }
            let count = translation.parameters.count
            if isPlain, columns.count == count, writesParametersAlone(words, count) {
                // Values go by the columns of their places.
                for (place, column) in columns.enumerated() {
                    if let type = shape.type(of: column) { translation.parameters[place].type = type }
                }
                translation.row = Row(table: shape, columns: columns, isReplacing: isReplacing)
            }
        }
        return translation
    }

    /// The statement that writes many rows of a table, whose parameters are an array for each column.
    ///
    /// No two rows may have the same key.
    static func batch(into table: TableShape, columns: [String], isReplacing: Bool) -> String {
        let arrays = columns.enumerated().map { place, column in
            "$\(place + 1)::\((table.type(of: column) ?? .any).name)[]"
        }
        let names = columns.map(quoted).joined(separator: ", ")
        return "INSERT INTO \(table.name) (\(names)) SELECT * FROM unnest(\(arrays.joined(separator: ", ")))"
            + (isReplacing ? conflict(of: table, columns) : "")
    }

    /// A name as it stands in a text: in quotes if it is a word of the language.
    static func quoted(_ name: String) -> String { name == "array" ? "\"array\"" : name }

    // MARK: The parts of a statement

    /// The end of a statement that replaces rows.
    ///
    /// Columns that are not given get what a new row would have, as in SQLite.
    private static func conflict(of table: TableShape, _ columns: [String]) -> String {
        let key = table.key.map(quoted).joined(separator: ", ")
        let others = table.columns.map { $0.name }.filter { !table.key.contains($0) }.map(quoted)
        guard !others.isEmpty else { return " ON CONFLICT (\(key)) DO NOTHING" }
        let changes = others.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        return " ON CONFLICT (\(key)) DO UPDATE SET \(changes)"
    }

    /// The table that a statement changes, from its parts without white space; nil for a question.
    private static func changedTable(_ words: [SQLToken]) -> String? {
        for (place, word) in words.enumerated() where place + 1 < words.count {
            let isStart = place == 0 || words[place - 1].text == "("
            if word.isWord("UPDATE"), isStart { return String(words[place + 1].text) }
            if word.isWord("INTO") { return String(words[place + 1].text) }
            if word.isWord("DELETE"), isStart, place + 2 < words.count { return String(words[place + 2].text) }
        }
        return nil
    }

    /// The columns that an INSERT gives: those in its brackets, or all of the table.
    private static func insertedColumns(_ words: [SQLToken], of table: TableShape) -> [String] {
        guard let into = words.firstIndex(where: { $0.isWord("INTO") }), into + 2 < words.count,
            words[into + 2].text == "("
        else { return table.columns.map { $0.name } }
        return words[(into + 3)...].prefix { $0.text != ")" }.filter { $0.kind == .word }.map { String($0.text) }
    }

    /// Whether a statement is an INSERT whose values are so many parameters, each once.
    private static func writesParametersAlone(_ words: [SQLToken], _ count: Int) -> Bool {
        guard words.first?.isWord("INSERT") == true, let values = words.firstIndex(where: { $0.isWord("VALUES") })
        else {
            return false
        }
        let parts = words[(values + 1)...]
        guard parts.first?.text == "(", parts.last?.text == ")" else { return false }
        let inner = parts.dropFirst().dropLast()
        return inner.count == 2 * count - 1
            && inner.enumerated().allSatisfy { place, part in
                place % 2 == 0 ? part.kind == .parameter : part.text == ","
            }
    }

    /// The type of a parameter: that of a column of the table, or of the parameter of this name in all statements.
    private static func parameterType(_ name: String, in table: TableShape?) -> ColumnType? {
        guard let table else {
            return BatonStore.Parameter.allCases.first { $0.name == name }?.type
        }
        return table.type(of: name)
    }

    /// The text of some parts for PostgreSQL.
    private static func text(_ tokens: ArraySlice<SQLToken>, _ names: [String: Int]) -> String {
        var text = ""
        var place = tokens.startIndex
        while place < tokens.endIndex {
            let token = tokens[place]
            let next = following(place, in: tokens)
            place += 1
            switch token.kind {
            case .parameter:
                text += "$\(names[String(token.text.dropFirst())] ?? 0)"
            case .string where token.text.first != "'":
                text += "'\\x\(token.text.dropFirst(2).dropLast())'::bytea"
            case .word where token.isWord("INDEXED"):
                // INDEXED BY and the name of an index.
                for _ in 0..<2 { place = (following(place - 1, in: tokens) ?? tokens.endIndex - 1) + 1 }
                if place < tokens.endIndex, tokens[place].kind == .space { place += 1 }
            case .word where token.isWord("OR") && next.map { tokens[$0].isWord("REPLACE") } == true:
                place = (next ?? place) + 1
                if place < tokens.endIndex, tokens[place].kind == .space { place += 1 }
            case .word where token.isWord("IS") && next.map { tokens[$0].kind == .parameter } == true:
                text += "IS NOT DISTINCT FROM"
            case .word where token.isWord("IIF") && next.map { tokens[$0].text == "(" } == true:
                let call = arguments(from: next ?? place, in: tokens)
                let parts = call.arguments.map { self.text($0, names) }
                text +=
                    "CASE WHEN \(parts.first ?? "") THEN \(parts.dropFirst().first ?? "") ELSE \(parts.last ?? "") END"
                place = call.end
            case .word:
                text += quoted(String(token.text))
            case .string, .mark, .space, .other:
                text.append(contentsOf: token.text)
            }
        }
        return text
    }

    /// The place of the next part that is no white space.
    private static func following(_ place: Int, in tokens: ArraySlice<SQLToken>) -> Int? {
        tokens[(place + 1)...].firstIndex { $0.kind != .space }
    }

    /// The arguments of a call, from its opening bracket on, and the place behind the closing one.
    private static func arguments(
        from open: Int,
        in tokens: ArraySlice<SQLToken>
    ) -> (arguments: [ArraySlice<SQLToken>], end: Int) {
        var arguments: [ArraySlice<SQLToken>] = []
        var depth = 0
        var start = open + 1
        for place in open..<tokens.endIndex {
            switch tokens[place].text {
            case "(": depth += 1
            case ")": depth -= 1
            default: break
            }
            let isEnd = depth == 0
            if isEnd || depth == 1 && tokens[place].text == "," {
                arguments.append(tokens[start..<place].drop { $0.kind == .space })
                start = place + 1
            }
            if isEnd { return (arguments, place + 1) }
        }
        return (arguments, tokens.endIndex)
    }
}

extension TableShape {
    /// The type of a column; nil for one that the table has not.
    func type(of column: String) -> ColumnType? { columns.first { $0.name == column }?.type }
}
