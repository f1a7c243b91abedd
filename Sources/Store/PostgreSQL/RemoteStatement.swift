/// A statement of a store on a server: what ``Statement`` is made of there, in place of a compiled statement of SQLite.
final class RemoteStatement {
    /// The connections of the store; a statement keeps them open.
    let session: ServerSession
    /// The text in SQLite's form, for messages.
    private let sql: String
    private let translation: PostgreSQLDialect.Translation
    /// By which name a connection knows the statement once it is prepared.
    private var name: String
    /// The values of the parameters, which stay from one execution to the next.
    private var values: [PostgreSQLValue]
    /// The rows that wait to be sent; nil for a statement that does not write rows with its parameters alone.
    private var batch: WriteBatch?
    /// Over which generation of each connection the statement is prepared; 0: over none.
    private var prepared = [0, 0]
    /// The same of the cursor that is made of the statement.
    private var preparedCursor = [0, 0]
    /// The rows in memory, and the present one.
    private var result: ServerResult?
    private var row: Int32 = 0
    private var changed = 0

    /// How many rows of an iteration are in memory at a time: as an answer, a million rows would take far more than as values.
    private static let rowsOfBlock: Int32 = 2000
    /// After how many rows of an iteration a leader looks whether a proof is due.
    private static let rowsBetweenProofs: Int32 = 256

    /// Translates a statement.
    init(_ sql: String, isOfColumns: Bool, _ session: ServerSession) throws(SQLError) {
        self.sql = sql
        self.session = session
        translation = try PostgreSQLDialect.translate(sql, isOfColumns: isOfColumns)
        name = session.nextName()
        values = Array(repeating: .null, count: translation.parameters.count)
        batch = translation.row.map { WriteBatch($0) }
    }

    /// The table that the statement changes; nil for a question.
    var table: String? { translation.table }

    /// The number of parameters.
    var parameterCount: Int32 { Int32(values.count) }

    /// The name of a parameter, counted from 1, with its colon; nil for one that is not there.
    func parameterName(_ parameter: Int32) -> String? {
        let place = Int(parameter) - 1
        return translation.parameters.indices.contains(place) ? ":" + translation.parameters[place].name : nil
    }

    /// Sets a parameter, counted from 1.
    ///
    /// - Returns: whether there is such a parameter.
    func bind(_ parameter: Int32, _ value: PostgreSQLValue) -> Bool {
        let place = Int(parameter) - 1
        guard values.indices.contains(place) else { return false }
        values[place] = value
        return true
    }

    // MARK: Running

    /// Runs a statement without rows: in a transaction, the answer comes later.
    func run() throws(SQLError) {
        result = nil
        guard table != nil else {
            try ask()
            return reset()
        }
        guard session.isInTransaction else {
            // A change is always one of the leader.
            return try session.transaction { () throws(SQLError) in try self.run() }
        }
        if batch != nil {
            if batch?.isFull == true { try session.sendBatches(of: table) }
            if batch?.count == 0 { session.noteBatch(of: self) }
            batch?.add(values)
            return
        }
        try session.sendBatches(of: translation.readsTables ? nil : table)
        try send(isWanted: false)
    }

    /// Runs the statement and waits for all of its rows.
    private func ask() throws(SQLError) {
        result = nil
        row = 0
        guard session.isInTransaction || table == nil else {
            return try session.transaction { () throws(SQLError) in try self.ask() }
        }
        try session.sendBatches()
        result = try session.asking { () throws(SQLError) -> ServerResult? in
            try self.send(isWanted: true)
            return try self.session.synchronize().last
        }
    }

    /// Goes to the next row, and runs the statement before if there are no rows in memory.
    ///
    /// - Returns: false if there is no further row.
    func step() throws(SQLError) -> Bool {
        if result == nil {
            try ask()
        } else {
            row += 1
        }
        guard let result, row < result.count else {
            reset()
            return false
        }
        return true
    }

    /// Calls a body at the first row.
    func first<Value>(_ body: () throws(SQLError) -> Value) throws(SQLError) -> Value? {
        defer { reset() }
        try ask()
        guard let result, result.count > 0 else { return nil }
        return try body()
    }

    /// Calls a body at each row until it returns false, with a part of the rows in memory at a time.
    func forEach(_ body: () throws(SQLError) -> Bool) throws(SQLError) {
        guard table == nil else {
            defer { reset() }
            while try step() {
                guard try body() else { return }
            }
            return
        }
        reset()
        try session.sendBatches()
        let cursor = "c" + name
        try session.asking { () throws(SQLError) in
            try self.session.beginReading()
            do throws(SQLError) {
                try self.send(isWanted: false, asCursor: cursor)
                try self.fetch(cursor)
            } catch {
                self.session.endReading(hasFailed: true)
                throw error
            }
        }
        defer {
            reset()
            session.current.finish(cursor: cursor)
            session.endReading()
        }
        while let result {
            row = 0
            while row < result.count {
                guard try body() else { return }
                row += 1
                if row % Self.rowsBetweenProofs == 0 { try session.proveIfDue() }
            }
            guard result.count == Self.rowsOfBlock else { return }
            try fetch(cursor)
        }
    }

    private func fetch(_ cursor: String) throws(SQLError) {
        result = nil
        try session.current.open().send("FETCH \(Self.rowsOfBlock) FROM \(cursor)", isWanted: true)
        result = try session.synchronize().last
    }

    /// Forgets the rows.
    func reset() {
        result = nil
        row = 0
    }

    /// Sends the statement with its values, without waiting.
    ///
    /// - Parameter cursor: the name of the cursor to make of it; nil for none.
    private func send(isWanted: Bool, asCursor cursor: String? = nil) throws(SQLError) {
        let connection = session.current
        let pipeline = try connection.open()
        try connection.sendFinishedCursors()
        let name = cursor ?? self.name
        let isPrepared = (cursor == nil ? prepared : preparedCursor)[connection.index] == connection.generation
        if !isPrepared {
            let text = cursor.map { "DECLARE \($0) NO SCROLL CURSOR FOR \(translation.text)" } ?? translation.text
            try pipeline.prepare(name, text, translation.parameters.map(\.type.number), for: self)
            if cursor == nil {
                prepared[connection.index] = connection.generation
            } else {
                preparedCursor[connection.index] = connection.generation
            }
        }
        var parameters = ServerParameters()
        for (value, parameter) in zip(values, translation.parameters) {
            if parameter.isLimit, case .number(let number) = value, number < 0 {
                try parameters.append(.null, as: parameter.type)
            } else {
                try parameters.append(value, as: parameter.type)
            }
        }
        try pipeline.send(prepared: name, parameters, isWanted: isWanted, for: table == nil ? nil : self)
    }

    /// Notes that the statement has to be prepared again, under another name: one of the connections may know this one.
    func forgetPreparation() {
        name = session.nextName()
        prepared = [0, 0]
        preparedCursor = [0, 0]
    }

    // MARK: Rows to send

    /// Sends the waiting rows, without waiting for an answer.
    func sendRows() throws(SQLError) {
        guard let batch, batch.count > 0 else { return }
        let connection = session.current
        let pipeline = try connection.open()
        if prepared[connection.index] != connection.generation {
            let row = batch.row
            let text = PostgreSQLDialect.batch(into: row.table, columns: row.columns, isReplacing: row.isReplacing)
            let types = row.columns.map { (row.table.type(of: $0) ?? .any).arrayNumber }
            try pipeline.prepare(name, text, types, for: self)
            prepared[connection.index] = connection.generation
        }
        let parameters = try batch.encoded()
        changed = batch.count
        dropRows()
        try pipeline.send(prepared: name, parameters, isWanted: false, for: self)
    }

    /// Forgets the rows that wait to be sent.
    func dropRows() { batch?.removeAll() }

    /// Notes how many rows the statement has changed.
    func note(changedRows: Int) { changed = changedRows }

    /// How many rows the statement has changed at its last execution.
    func changedRows() throws(SQLError) -> Int {
        if let batch, batch.count > 0 { try session.sendBatches(of: table) }
        if session.isInTransaction { _ = try session.synchronize() }
        return changed
    }

    // MARK: Columns of the current row, counted from 0

    /// The number of columns in a row; 0 without rows.
    var columnCount: Int32 { result?.columnCount ?? 0 }

    /// The name of a column; nil for a column that is not there.
    func columnName(_ column: Int32) -> String? { result?.name(column) }

    /// Whether a column is NULL.
    func isNull(_ column: Int32) -> Bool { result?.isNull(row, column) ?? true }

    /// A column's number; nil for anything else, and for NULL.
    func number(_ column: Int32) -> Int64? {
        guard let result, result.kind(column) == .number else { return nil }
        return result.number(row, column)
    }

    /// Whether a column has texts.
    func isText(_ column: Int32) -> Bool { result?.kind(column) == .text }

    /// Lends a column's text or bytes, and the digits of a number; NULL reads as nothing.
    func withBytes<Value, Failure: Error>(
        _ column: Int32,
        _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        guard let result, !result.isNull(row, column) else {
            return try body(UnsafeBufferPointer(start: nil, count: 0))
        }
        guard result.kind(column) == .number else { return try result.withBytes(row, column, body) }
        let digits = Array("\(result.number(row, column) ?? 0)".utf8)
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: digits.count)
        defer { copy.deallocate() }
        _ = copy.initialize(from: digits)
        return try body(UnsafeBufferPointer(copy))
    }
}
