@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations

/// The columns of the rows that a statement writes or reads, by name.
///
/// A case is a column, and its number the place of the column in the statement. SQL text and code name columns alone: the lists
/// of columns and parameters in the text come from the cases, and a statement of a file compares the names with its own places
/// when it is compiled. A row therefore costs no look-up by name.
protocol RowColumn: SQLName, RawRepresentable<Int> {}

/// A name in the text of statements, which is a case in code.
protocol SQLName: CaseIterable, CodingKey {}

extension SQLName {
    /// The name in SQL: `finished_at` for the case `finishedAt`.
    var name: String {
        var name: [UInt8] = []
        for letter in stringValue.utf8 {
            if letter < UInt8(ascii: "a") { name.append(UInt8(ascii: "_")) }
            // The small letter, also of a capital one.
            name.append(letter | 0x20)
        }
        return String(decoding: name, as: UTF8.self)
    }
}

extension RowColumn {
    /// The number of the column in a row, from 0.
    @inline(__always)
    var number: Int32 { Int32(truncatingIfNeeded: rawValue) }

    /// The columns, for `SELECT` and `INSERT`: `job, first, last`.
    static var list: String { allCases.map(\.name).joined(separator: ", ") }

    /// The parameters of the columns, for `VALUES`: `:job, :first, :last`.
    static var parameters: String { allCases.map { ":" + $0.name }.joined(separator: ", ") }

    /// The columns with their parameters, for `UPDATE`: `first = :first, last = :last`.
    static func assignments(except key: Self) -> String {
        allCases.filter { $0.rawValue != key.rawValue }.map { "\($0.name) = :\($0.name)" }.joined(separator: ", ")
    }
}

extension Statement {
    /// Makes a statement that writes rows, with a parameter for each column in their order.
    convenience init<Column: RowColumn>(writing columns: Column.Type, _ text: @autoclosure @escaping () -> String) {
        self.init(form: .writes { columns.allCases.map(\.name) }, text)
    }

    /// Makes a statement that writes rows, with another text for a server.
    convenience init<Column: RowColumn>(
        writing columns: Column.Type,
        _ text: @autoclosure @escaping () -> String,
        server: @autoclosure @escaping () -> String
    ) {
        self.init(form: .writes { columns.allCases.map(\.name) }, text, server: server)
    }

    /// Makes a statement that inserts a row into a table.
    convenience init<Column: RowColumn>(inserting columns: Column.Type, into table: String) {
        self.init(writing: columns, "INSERT INTO \(table) (\(Column.list)) VALUES (\(Column.parameters))")
    }

    /// Makes a statement that inserts a row into a table, in place of the row with its key.
    convenience init<Column: RowColumn>(replacing columns: Column.Type, in table: String) {
        self.init(writing: columns, "INSERT OR REPLACE INTO \(table) (\(Column.list)) VALUES (\(Column.parameters))")
    }

    /// Makes a statement that reads all of the columns in their order.
    ///
    /// - Parameter source: the text behind the columns, from `FROM` on.
    convenience init<Column: RowColumn>(reading columns: Column.Type, _ source: @autoclosure @escaping () -> String) {
        self.init(form: .reads { columns.allCases.map(\.name) }) { "SELECT \(Column.list) \(source())" }
    }
}

/// Parameters and columns by name.
extension Statement {
    /// Sets the parameter of a column to a number, or NULL.
    @inline(__always)
    func bind(_ column: some RowColumn, _ value: Int64?) { bind(column.number + 1, value) }

    /// Sets the parameter of a column to a number.
    @inline(__always)
    func bind(_ column: some RowColumn, _ value: some FixedWidthInteger) { bind(column.number + 1, value) }

    /// Sets the parameter of a column to a text, or NULL.
    @inline(__always)
    func bind(_ column: some RowColumn, text: String?) { bind(column.number + 1, text: text) }

    /// Sets the parameter of a column to a text given as UTF-8.
    @inline(__always)
    func bind(_ column: some RowColumn, utf8: UnsafeBufferPointer<UInt8>) { bind(column.number + 1, utf8: utf8) }

    /// Sets the parameter of a column to bytes, or NULL.
    @inline(__always)
    func bind(_ column: some RowColumn, bytes: [UInt8]?) { bind(column.number + 1, bytes: bytes) }

    /// Sets the parameter of a column to bytes, stored as text if possible.
    @inline(__always)
    func bind(_ column: some RowColumn, textOrBytes bytes: [UInt8]) { bind(column.number + 1, textOrBytes: bytes) }

    /// Sets the parameter of a column to programs with their arguments.
    func bind(_ column: some RowColumn, commands: [[String]]) { bind(column.number + 1, commands: commands) }

    /// Whether a column is NULL.
    @inline(__always)
    func isNull(_ column: some RowColumn) -> Bool { isNull(column.number) }

    /// A column's number.
    @inline(__always)
    func number<Value: FixedWidthInteger>(
        _ column: some RowColumn,
        as type: Value.Type = Value.self
    ) throws(SQLError) -> Value {
        try number(column.number, as: type)
    }

    /// A column's number, or nil for NULL.
    @inline(__always)
    func optional<Value: FixedWidthInteger>(
        _ column: some RowColumn,
        as type: Value.Type = Value.self
    ) throws(SQLError) -> Value? {
        try optional(column.number, as: type)
    }

    /// A column's text.
    func text(_ column: some RowColumn) throws(SQLError) -> String { try text(column.number) }

    /// A column's text, or nil for NULL.
    func optionalText(_ column: some RowColumn) throws(SQLError) -> String? { try optionalText(column.number) }

    /// A column's bytes, or nil for NULL.
    func optionalBytes(_ column: some RowColumn) -> [UInt8]? { optionalBytes(column.number) }

    /// A column with the name of an enumeration's case.
    func word<Value: CaseIterable & CustomStringConvertible>(_ column: some RowColumn) throws(SQLError) -> Value {
        try word(column.number)
    }

    /// A column with the name of an enumeration's case, or nil for NULL.
    func optionalWord<Value: CaseIterable & CustomStringConvertible>(
        _ column: some RowColumn
    ) throws(SQLError) -> Value? {
        try optionalWord(column.number)
    }

    /// A column with 0 or 1.
    func flag(_ column: some RowColumn) throws(SQLError) -> Bool { try flag(column.number) }

    /// A column with a moment.
    func time(_ column: some RowColumn) throws(SQLError) -> Timestamp { try time(column.number) }

    /// A column with a moment, or NULL.
    func optionalTime(_ column: some RowColumn) throws(SQLError) -> Timestamp? { try optionalTime(column.number) }

    /// A column with JSON.
    func json(_ column: some RowColumn) throws(SQLError) -> JSONValue { try json(column.number) }

    /// A column with a JSON array of strings.
    func strings(_ column: some RowColumn) throws(SQLError) -> [String] { try strings(column.number) }

    /// The programs with their arguments in a column.
    func commands(_ column: some RowColumn) throws(SQLError) -> [[String]] { try commands(column.number) }

    /// Lends a column's text or bytes, valid inside the body only; NULL reads as nothing.
    func withBytes<Value, Failure: Error>(
        _ column: some RowColumn,
        _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try withBytes(column.number, body)
    }

    /// Returns the error for a column with a value that no version of Baton wrote.
    func damaged(_ column: some RowColumn) -> SQLError { damaged(column.number) }
}
