@_spi(Baton) import BatonInvariants
import CBatonSQLite

/// A statement: bind parameters, step through rows, reset, and use again.
///
/// The next ``step()`` throws the error of a failed bind, and of a failed compilation on first use. A statement keeps its
/// database open.
///
/// A statement of a store on a server has no compiled form: a ``RemoteStatement`` does its work.
final class Statement {
    /// The kinds of parameters and of columns.
    enum Form {
        /// The statement has named parameters.
        case named
        /// The statement has one parameter for each of these columns, in their order.
        case writes(() -> [String])
        /// The statement has named parameters, and each of its rows has these columns in their order.
        case reads(() -> [String])
    }

    private let form: Form
    private let text: () -> String
    /// The text for a server; nil if it is translated from that for SQLite.
    private let serverText: (() -> String)?
    /// The connections of a store on a server; nil for a file.
    private var session: ServerSession?
    private var remote: RemoteStatement?
    private var database: Database?
    private var compiled: OpaquePointer?
    /// The place of each parameter in the text, from 1; 0: the text has none of that name.
    private var places: [UInt8] = []
    /// The parameters that no value was given to yet, a bit each.
    private var unbound: UInt64 = 0
    /// Whether the parameters are the columns of a row, whose places are known.
    let isOfColumns: Bool
    private var bindFailure: SQLError?
    private let bound = BoundValues()

    /// Makes a statement that is of no use before ``attach(to:)``.
    ///
    /// - Parameter server: the text for a server, where that for SQLite cannot be translated word for word.
    init(form: Form, _ text: @escaping () -> String, server: (() -> String)? = nil) {
        self.form = form
        self.text = text
        serverText = server
        isOfColumns = if case .writes = form { true } else { false }
    }

    /// Makes a statement whose parameters have names.
    convenience init(_ text: @autoclosure @escaping () -> String) {
        self.init(form: .named, text)
    }

    /// Makes a statement whose parameters have names, with another text for a server.
    convenience init(
        _ text: @autoclosure @escaping () -> String,
        server: @autoclosure @escaping () -> String
    ) {
        self.init(form: .named, text, server: server)
    }

    deinit {
        sqlite3_finalize(compiled)
    }

    /// Makes the statement one of a database, and compiles it, unless the database leaves that to its first use.
    ///
    /// - Throws: `statement` unless the database has the tables, and the text the columns in their order.
    func attach(to database: Database) throws(SQLError) {
        self.database = database
        if database.compilesOnUse { return }
        try compile()
        switch form {
        case .named: break
        case .writes(let columns): try expect(columns()) { parameterName($0 + 1)?.dropFirst() }
        case .reads(let columns): try expect(columns()) { columnName($0)?[...] }
        }
    }

    /// Makes the statement one of a store on a server, which prepares it on its first use.
    func attach(to session: ServerSession) throws(SQLError) {
        self.session = session
        remote = nil
    }

    private func expect(_ names: [String], _ found: (Int32) -> Substring?) throws(SQLError) {
        for (place, name) in names.enumerated() where found(Int32(place)).map(String.init) != name {
            throw SQLError(.statement, "the column \(name) has another place in: \(sql)")
        }
    }

    private func compile() throws(SQLError) {
        guard let database else { throw SQLError(.statement, "no database is attached to: \(sql)") }
        let compiled = try database.compile(sql)
        self.compiled = compiled
        if isOfColumns { return }
        places = Parameter.names.map { UInt8(truncatingIfNeeded: sqlite3_bind_parameter_index(compiled, $0)) }
        for (position, place) in places.enumerated() where place > 0 { unbound |= 1 << position }
    }

    /// The error of the statement's database.
    private func error(_ code: ResultCode) -> SQLError {
        database?.error(code) ?? SQLError(code, "no database is attached to: \(sql)")
    }

    /// The compiled statement; nil if the text cannot be compiled.
    ///
    /// Each bind asks for it, so only the first use leaves the inlined path.
    @inline(__always)
    private var handle: OpaquePointer? { compiled ?? compileOnUse() }

    @inline(never)
    private func compileOnUse() -> OpaquePointer? {
        if remote != nil { return nil }
        do throws(SQLError) {
            if let session { try translate(for: session) } else { try compile() }
        } catch {
            if bindFailure == nil { bindFailure = error }
        }
        return compiled
    }

    /// Makes what takes the place of the compiled form.
    private func translate(for session: ServerSession) throws(SQLError) {
        let remote = try RemoteStatement(sql, isOfColumns: isOfColumns, session)
        self.remote = remote
        if isOfColumns { return }
        let names = (0..<remote.parameterCount).map { remote.parameterName($0 + 1) }
        places = Parameter.names.map { name in UInt8(truncatingIfNeeded: (names.firstIndex(of: name) ?? -1) + 1) }
        for (position, place) in places.enumerated() where place > 0 { unbound |= 1 << position }
    }

    /// Sets a parameter of a statement on a server.
    @inline(never)
    private func bindRemote(_ parameter: Int32, _ value: PostgreSQLValue) {
        if remote?.bind(parameter, value) == true { return }
        bound.forgetAll()
        if bindFailure == nil { bindFailure = SQLError(.statement, "there is no parameter \(parameter) in: \(sql)") }
    }

    /// What does the work of a statement without a compiled form.
    private func working() throws(SQLError) -> RemoteStatement {
        if let bindFailure {
            self.bindFailure = nil
            throw bindFailure
        }
        guard let remote else { throw error(.statement) }
        invariant(unbound == 0, "A parameter was given no value: \(sql)")
        return remote
    }

    /// The statement's text.
    var sql: String { if session != nil, let serverText { serverText() } else { text() } }

    /// The number of columns in a row; on a server, 0 without rows.
    var columnCount: Int32 {
        guard let handle else { return remote?.columnCount ?? 0 }
        return sqlite3_column_count(handle)
    }

    /// The name of a column, counted from 0; nil for a column that is not there.
    func columnName(_ column: Int32) -> String? {
        guard let handle else { return remote?.columnName(column) }
        return sqlite3_column_name(handle, column).map { String(cString: $0) }
    }

    /// The name of a parameter, counted from 1, with its colon; nil for a parameter without a name.
    func parameterName(_ parameter: Int32) -> String? {
        guard let handle else { return remote?.parameterName(parameter) }
        return sqlite3_bind_parameter_name(handle, parameter).map { String(cString: $0) }
    }

    /// The number of parameters.
    var parameterCount: Int32 {
        guard let handle else { return remote?.parameterCount ?? 0 }
        return sqlite3_bind_parameter_count(handle)
    }

    // MARK: Parameters, counted from 1

    /// The place of a parameter; 0, to which no value can be bound, if the text has none of that name.
    func place(of parameter: Parameter) -> Int32 {
        guard handle != nil || remote != nil, !isOfColumns else { return 0 }
        unbound &= ~(1 << parameter.rawValue)
        return Int32(places[parameter.rawValue])
    }

    // SQLite keeps the values of a statement from one execution to the next, so that a value is bound only where it differs.

    /// Sets a parameter to a number, or NULL.
    func bind(_ parameter: Int32, _ value: Int64?) {
        guard let value else { return bindNull(parameter) }
        bind(parameter, value)
    }

    /// Sets a parameter to a number.
    func bind(_ parameter: Int32, _ value: some FixedWidthInteger) {
        let value = Int64(truncatingIfNeeded: value)
        guard bound.replace(parameter, by: .number(value)) else { return }
        guard let handle else { return bindRemote(parameter, .number(value)) }
        note(sqlite3_bind_int64(handle, parameter, value))
    }

    /// Sets a parameter to a text, or NULL.
    func bind(_ parameter: Int32, text: String?) {
        guard var text else { return bindNull(parameter) }
        guard bound.replace(parameter, by: BoundValues.Value(text)) else { return }
        text.withUTF8 { bytes in bindAnew(parameter, utf8: bytes) }
    }

    /// Sets a parameter to a text given as UTF-8.
    func bind(_ parameter: Int32, utf8: UnsafeBufferPointer<UInt8>) {
        bound.forget(parameter)
        bindAnew(parameter, utf8: utf8)
    }

    private func bindAnew(_ parameter: Int32, utf8: UnsafeBufferPointer<UInt8>) {
        guard let handle else { return bindRemote(parameter, .text(Array(utf8))) }
        utf8.withMemoryRebound(to: CChar.self) { characters in
            // A null pointer would bind NULL instead of the empty text.
            guard let start = characters.baseAddress else {
                return note(sqlite3_bind_text(handle, parameter, "", 0, baton_sqlite_transient()))
            }
            let encoding = UInt8(SQLITE_UTF8)
            note(
                sqlite3_bind_text64(
                    handle,
                    parameter,
                    start,
                    UInt64(characters.count),
                    baton_sqlite_transient(),
                    encoding
                )
            )
        }
    }

    /// Sets a parameter to bytes, or NULL.
    func bind(_ parameter: Int32, bytes: [UInt8]?) {
        guard let bytes else { return bindNull(parameter) }
        bound.forget(parameter)
        guard let handle else { return bindRemote(parameter, .bytes(bytes)) }
        guard !bytes.isEmpty else { return note(sqlite3_bind_zeroblob(handle, parameter, 0)) }
        bytes.withUnsafeBytes { raw in
            note(
                sqlite3_bind_blob64(
                    handle,
                    parameter,
                    raw.baseAddress,
                    UInt64(raw.count),
                    baton_sqlite_transient()
                )
            )
        }
    }

    private func bindNull(_ parameter: Int32) {
        guard bound.replace(parameter, by: .null) else { return }
        guard let handle else { return bindRemote(parameter, .null) }
        note(sqlite3_bind_null(handle, parameter))
    }

    /// Sets a parameter to bytes, stored as text if possible, for human readers.
    func bind(_ parameter: Int32, textOrBytes bytes: [UInt8]) {
        // SQLite shows a text only up to its first NUL.
        if !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) {
            bind(parameter, text: text)
        } else {
            bind(parameter, bytes: bytes)
        }
    }

    // MARK: Running

    /// Goes to the next row; after an error the statement is reset.
    ///
    /// - Returns: false if there is no further row: the statement is then reset.
    func step() throws(SQLError) -> Bool {
        guard let handle else { return try working().step() }
        if let bindFailure {
            self.bindFailure = nil
            sqlite3_reset(handle)
            throw bindFailure
        }
        invariant(unbound == 0, "A parameter was given no value: \(sql)")
        let code = ResultCode(rawValue: sqlite3_step(handle))
        if code == .row { return true }
        let error = code == .done ? nil : self.error(code)
        sqlite3_reset(handle)
        if let error { throw error }
        return false
    }

    /// Runs a statement without rows.
    func run() throws(SQLError) {
        guard handle != nil else { return try working().run() }
        while try step() {}
    }

    /// How many rows the last execution has changed; it has to be the last one of its database.
    var changedRows: Int {
        get throws(SQLError) {
            guard let remote else { return database?.changedRows ?? 0 }
            return try remote.changedRows()
        }
    }

    /// Calls a body at the first row and resets the statement.
    ///
    /// - Returns: the result of the body; nil without a row.
    func first<Value>(_ body: (Statement) throws(SQLError) -> Value) throws(SQLError) -> Value? {
        guard handle != nil else { return try working().first { () throws(SQLError) in try body(self) } }
        defer { reset() }
        return try step() ? try body(self) : nil
    }

    /// Calls a body at each row until it returns false, and resets the statement.
    func forEach(_ body: (Statement) throws(SQLError) -> Bool) throws(SQLError) {
        guard handle != nil else { return try working().forEach { () throws(SQLError) in try body(self) } }
        defer { reset() }
        while try step() {
            guard try body(self) else { return }
        }
    }

    /// Ends the iteration over the rows, which would otherwise keep a snapshot of the database alive.
    func reset() {
        guard let compiled else {
            remote?.reset()
            return
        }
        sqlite3_reset(compiled)
    }

    // MARK: Columns of the current row, counted from 0

    /// Whether a column is NULL.
    func isNull(_ column: Int32) -> Bool {
        guard let handle else { return remote?.isNull(column) ?? true }
        return sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    /// A column's number.
    ///
    /// - Throws: `corrupt` if the column has no number, or a number too large for the type.
    func number<Value: FixedWidthInteger>(
        _ column: Int32,
        as type: Value.Type = Value.self
    ) throws(SQLError) -> Value {
        guard let value = try optional(column, as: type) else { throw damaged(column) }
        return value
    }

    /// A column's number, or nil for NULL.
    func optional<Value: FixedWidthInteger>(
        _ column: Int32,
        as type: Value.Type = Value.self
    ) throws(SQLError) -> Value? {
        guard let handle else { return try remoteNumber(column) }
        switch sqlite3_column_type(handle, column) {
        case SQLITE_NULL: return nil
        case SQLITE_INTEGER:
            guard let value = Value(exactly: sqlite3_column_int64(handle, column)) else { throw damaged(column) }
            return value
        default: throw damaged(column)
        }
    }

    private func remoteNumber<Value: FixedWidthInteger>(_ column: Int32) throws(SQLError) -> Value? {
        guard let remote, !remote.isNull(column) else { return nil }
        guard let number = remote.number(column), let value = Value(exactly: number) else { throw damaged(column) }
        return value
    }

    /// A column's text.
    ///
    /// - Throws: `corrupt` if the column has no text, or invalid UTF-8.
    func text(_ column: Int32) throws(SQLError) -> String {
        guard let text = try optionalText(column) else { throw damaged(column) }
        return text
    }

    /// The text of bytes in UTF-8; nil for invalid ones.
    private static func text(of bytes: UnsafeBufferPointer<UInt8>) -> String? {
        // Most texts are names and words in ASCII, which need no validation: that takes several times as long as the rest.
        bytes.allSatisfy { $0 < 0x80 }
            ? String(decoding: bytes, as: UTF8.self) : String(validating: bytes, as: UTF8.self)
    }

    /// A column's text, or nil for NULL.
    func optionalText(_ column: Int32) throws(SQLError) -> String? {
        guard let handle else { return try remoteText(column) }
        switch sqlite3_column_type(handle, column) {
        case SQLITE_NULL: return nil
        case SQLITE_TEXT:
            guard let text = withBytes(column, { Self.text(of: $0) }) else { throw damaged(column) }
            return text
        default: throw damaged(column)
        }
    }

    private func remoteText(_ column: Int32) throws(SQLError) -> String? {
        guard let remote, !remote.isNull(column) else { return nil }
        guard remote.isText(column), let text = remote.withBytes(column, { Self.text(of: $0) }) else {
            throw damaged(column)
        }
        return text
    }

    /// A column's bytes, or nil for NULL.
    func optionalBytes(_ column: Int32) -> [UInt8]? {
        isNull(column) ? nil : withBytes(column) { Array($0) }
    }

    /// Lends a column's text or bytes, valid inside the body only; NULL reads as nothing.
    func withBytes<Value, Failure: Error>(
        _ column: Int32,
        _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        guard let handle else {
            guard let remote else { return try body(UnsafeBufferPointer(start: nil, count: 0)) }
            return try remote.withBytes(column, body)
        }
        let start = sqlite3_column_blob(handle, column)
        let count = Int(sqlite3_column_bytes(handle, column))
        let bytes = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
        return try body(bytes.assumingMemoryBound(to: UInt8.self))
    }

    /// Returns the error for a column with a value that no version of Baton wrote.
    func damaged(_ column: Int32) -> SQLError {
        let name = columnName(column) ?? "\(column)"
        let value = withBytes(column) { String(decoding: $0.prefix(40), as: UTF8.self) }
        return .damaged("the value \"\(value)\" in column \(name) makes no sense")
    }

    @inline(__always)
    private func note(_ code: Int32) {
        if code != SQLITE_OK { noteFailure(code) }
    }

    @inline(never)
    private func noteFailure(_ code: Int32) {
        // The failed parameter has kept another value.
        bound.forgetAll()
        if bindFailure == nil { bindFailure = error(ResultCode(rawValue: code)) }
    }
}
