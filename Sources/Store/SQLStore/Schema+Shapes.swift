/// The type of a column, or of a value that is given to a statement.
enum ColumnType: Hashable, Sendable {
    /// A number of 64 bits.
    case integer
    /// A text in UTF-8.
    case text
    /// Bytes.
    case bytes
    /// A text or bytes.
    case any
}

/// What a table is made of, whatever the database.
struct TableShape: Sendable {
    /// The name of the table.
    let name: String
    /// The columns in their order; an optional one may be NULL.
    let columns: [(name: String, type: ColumnType, isOptional: Bool)]
    /// The columns of the primary key.
    let key: [String]
    /// The statements that make the indexes of the table, without the semicolon.
    let indexes: [String]
}

extension Schema {
    /// The tables of this build in their order, read from the text that makes them.
    ///
    /// The text stays the one place that says what the tables are, for SQLite and for every other database.
    static let shapes = Schema.current.shapes

    /// The tables that the text of the schema makes.
    var shapes: [TableShape] {
        let statements = Self.statements(of: tables)
        let indexes = statements.filter { $0.hasPrefix("CREATE INDEX ") || $0.hasPrefix("CREATE UNIQUE INDEX ") }
        return statements.compactMap { statement in
            guard let shape = TableShape(statement) else { return nil }
            return TableShape(
                name: shape.name,
                columns: shape.columns,
                key: shape.key,
                indexes: indexes.filter { $0.contains(" ON \(shape.name) (") }
            )
        }
    }

    /// The statements of a text in their order, without comments and semicolons.
    static func statements(of text: String) -> [String] {
        let lines = text.split(separator: "\n").filter { line in
            !line.drop { $0 == " " }.hasPrefix("--")
        }
        return lines.joined(separator: "\n").pieces(at: ";").filter { !$0.isEmpty }
    }
}

extension TableShape {
    /// Reads the statement that makes a table; nil for any other statement.
    fileprivate init?(_ statement: String) {
        guard statement.hasPrefix("CREATE TABLE "), let open = statement.firstIndex(of: "("),
            let close = statement.lastIndex(of: ")")
        else { return nil }
        var columns: [(name: String, type: ColumnType, isOptional: Bool)] = []
        var key: [String] = []
        for part in String(statement[open..<close].dropFirst()).pieces(at: ",") {
            let words = part.split { $0.isWhitespace }.map(String.init)
            if part.hasPrefix("PRIMARY KEY") {
                key = Self.names(in: part)
            } else if words.count >= 2 {
                let isKey = words.dropFirst(2).starts(with: ["PRIMARY", "KEY"])
                if isKey { key = [words[0]] }
                let isRequired = isKey || part.contains("NOT NULL")
                columns.append((words[0], Self.type(words[1]), !isRequired))
            }
        }
        // A key has no NULL, whether the text says so or not.
        self.init(
            name: statement[..<open].split(separator: " ").last.map(String.init) ?? "",
            columns: columns.map { ($0.name, $0.type, $0.isOptional && !key.contains($0.name)) },
            key: key,
            indexes: []
        )
    }

    /// The names between the brackets of a part.
    private static func names(in part: String) -> [String] {
        guard let open = part.firstIndex(of: "("), let close = part.lastIndex(of: ")") else { return [] }
        return part[open..<close].dropFirst().split { $0 == "," || $0.isWhitespace }.map(String.init)
    }

    private static func type(_ word: String) -> ColumnType {
        switch word {
        case "INTEGER": .integer
        case "TEXT": .text
        case "BLOB": .bytes
        default: .any
        }
    }
}

extension String {
    /// The parts between separators that stand in no brackets and in no quoted text, without the space around each.
    fileprivate func pieces(at separator: Character) -> [String] {
        var pieces: [String] = []
        var piece = ""
        var depth = 0
        var isQuoted = false
        func add() {
            let inner = piece.drop { $0.isWhitespace }
            let end = inner.lastIndex { !$0.isWhitespace }
            pieces.append(end.map { String(inner[...$0]) } ?? "")
            piece = ""
        }
        for character in self {
            switch character {
            case "'": isQuoted.toggle()
            case "(" where !isQuoted: depth += 1
            case ")" where !isQuoted: depth -= 1
            default: break
            }
            if character == separator, depth == 0, !isQuoted { add() } else { piece.append(character) }
        }
        add()
        return pieces
    }
}
