/// The rows of a CSV or TSV file with a header: the items of an array, with a column for each field.
@_spi(Baton) public struct RowTable: Hashable, Sendable {
    /// The names of the columns.
    public private(set) var columns: [String] = []
    /// The rows, each as the text of ``ItemFields``.
    public private(set) var items: [String] = []

    /// Reads a table.
    ///
    /// Fields are separated by tabs in a file whose name ends in `.tsv`, and where the header has a tab and no comma; elsewhere by
    /// commas, with quotes as in RFC 4180. Empty lines are left out, and so is a byte order mark.
    ///
    /// - Parameters:
    ///   - text: the text of the file.
    ///   - name: the name of the file.
    ///   - subject: the file, as the beginning of an error's sentence.
    /// - Throws: ``Refusal`` `invalid` for a row with another number of fields than the header, a quote without an end, a zero byte,
    ///   two columns of one name, a header that another sign seems to separate, and a table without rows.
    public init(_ text: String, name: String, subject: String) throws(Refusal) {
        func refused(_ problem: String) -> Refusal { Refusal(.invalid, "\(subject) \(problem).") }
        var reader = Reader(text, name: name)
        // The fields of each line by its spaces, as long as all lines have as many.
        var spacedFields: Int?
        while let row = reader.next() {
            guard !reader.isOpen else { throw refused("has a quote in line \(row.line) that is not closed") }
            guard !row.fields.contains(where: { $0.utf8.contains(0) }) else {
                throw refused("has a zero byte in line \(row.line), which no program can be given")
            }
            if columns.isEmpty {
                columns = row.fields
                if let objection = Self.objection(toColumns: columns) { throw refused(objection) }
                if columns.count == 1, !reader.hasQuotedHeader {
                    if let sign = Self.otherSeparator(in: columns[0]) { throw refused(reader.objection(to: sign)) }
                    spacedFields = Self.spacedFields(of: columns[0])
                }
                continue
            }
            if let fields = spacedFields, fields != Self.spacedFields(of: row.fields[0]) { spacedFields = nil }
            guard row.fields.count == columns.count else {
                let columns = columns.count == 1 ? "one column" : "\(columns.count) columns"
                throw refused("has \(row.fields.count) fields in line \(row.line), and \(columns) by its header")
            }
            items.append(ItemFields.text(of: row.fields))
        }
        guard !items.isEmpty else {
            throw refused(
                columns.isEmpty
                    ? "is empty, so there is nothing to run"
                    : "has no rows below its header, so there is nothing to run"
            )
        }
        if let fields = spacedFields, fields > 1 { throw refused(reader.objection(to: "spaces")) }
    }

    /// The sign that seems to separate the fields of a header that is one column; nil for none.
    private static func otherSeparator(in header: String) -> String? {
        let signs: [(Character, String)] = [
            (";", "a semicolon"), ("\t", "a tab"), ("|", "a vertical bar"), (",", "a comma"),
        ]
        return signs.first { header.contains($0.0) }?.1
    }

    /// The number of fields if spaces separate them.
    private static func spacedFields(of text: String) -> Int { text.split(separator: " ").count }

    /// The most columns of an array.
    public static let maximumColumns = 1000

    /// Why columns are not allowed, as the end of a sentence; nil for allowed columns.
    static func objection(toColumns columns: [String]) -> String? {
        guard columns.count <= maximumColumns else {
            return "has \(columns.count) columns, more than \(maximumColumns)"
        }
        if columns.contains(where: { $0.utf8.contains(0) }) { return "has a column with a NUL in its name" }
        var seen: Set<String> = []
        for column in columns where !column.isEmpty && !seen.insert(column).inserted {
            return "has two columns with the name \"\(column.asShown)\": rename one of them"
        }
        return nil
    }

    /// Reads rows of fields.
    private struct Reader {
        private let bytes: [UInt8]
        private let separator: UInt8
        private var position = 0
        private var line = 1
        /// Whether the text begins with a quote.
        var hasQuotedHeader: Bool { bytes.first == UInt8(ascii: "\"") }
        private var hasTabs: Bool { separator == UInt8(ascii: "\t") }
        /// Whether the last row ended within quotes.
        private(set) var isOpen = false

        init(_ text: String, name: String) {
            bytes = Array((text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text).utf8)
            let header = bytes.prefix { $0 != UInt8(ascii: "\n") }
            let hasTabs = header.contains(UInt8(ascii: "\t")) && !header.contains(UInt8(ascii: ","))
            separator =
                name.hasSuffix(".tsv") || !name.hasSuffix(".csv") && hasTabs ? UInt8(ascii: "\t") : UInt8(ascii: ",")
        }

        /// Objects to another sign between fields, as the end of a sentence.
        func objection(to sign: String) -> String {
            let advice =
                hasTabs
                ? "separate its fields by tabs, or give it another name than *.tsv"
                : "separate its fields by commas, or by tabs in a file *.tsv, or put the header into quotes"
            return "has \(sign) and no \(hasTabs ? "tab" : "comma") in its header, and would be one column: \(advice)"
        }

        /// The next row that is not empty, with the number of its first line.
        mutating func next() -> (fields: [String], line: Int)? {
            while position < bytes.count {
                let start = (position, line)
                let fields = row()
                let isEmpty = fields.count == 1 && fields[0].isEmpty && bytes[start.0] != UInt8(ascii: "\"")
                if !isEmpty { return (fields, start.1) }
            }
            return nil
        }

        private mutating func row() -> [String] {
            var fields: [String] = []
            while true {
                fields.append(field())
                guard position < bytes.count, bytes[position] == separator else { break }
                position += 1
            }
            // The end of the line, or of the file.
            position += 1
            line += 1
            return fields
        }

        /// Reads a field up to its separator or line's end; a CR before the latter is left out.
        private mutating func field() -> String {
            var field: [UInt8] = []
            if separator == UInt8(ascii: ","), position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
                position += 1
                isOpen = true
                while position < bytes.count {
                    let byte = bytes[position]
                    position += 1
                    if byte == UInt8(ascii: "\"") {
                        guard position < bytes.count, bytes[position] == byte else {
                            isOpen = false
                            break
                        }
                        position += 1
                    } else if byte == UInt8(ascii: "\n") {
                        line += 1
                    }
                    field.append(byte)
                }
            }
            let start = position
            while position < bytes.count, bytes[position] != separator, bytes[position] != UInt8(ascii: "\n") {
                position += 1
            }
            var rest = bytes[start..<position]
            if rest.last == UInt8(ascii: "\r"), position == bytes.count || bytes[position] == UInt8(ascii: "\n") {
                rest.removeLast()
            }
            return String(decoding: field + rest, as: UTF8.self)
        }
    }
}
