/// The copy of a table's rows from one database to another, whatever the kind of each.
struct TableCopy {
    /// The table.
    let shape: TableShape
    /// The statement that reads the rows, for its parameters.
    let reading: Statement
    private let writing: Statement
    private let counting: Statement
    private let clearing: Statement

    /// Prepares the copy of a table.
    ///
    /// - Parameters:
    ///   - text: the statement that reads all columns of the rows to copy; nil for all rows, in the order of the key.
    ///   - from: makes a statement one of the database with the table.
    ///   - to: makes a statement one of the database that gets the rows.
    init(
        _ shape: TableShape,
        reading text: String? = nil,
        from: (Statement) throws(SQLError) -> Void,
        to: (Statement) throws(SQLError) -> Void
    ) throws(SQLError) {
        self.shape = shape
        let names = shape.columns.map(\.name)
        let list = names.joined(separator: ", ")
        let values = names.map { ":" + $0 }.joined(separator: ", ")
        let key = shape.key.joined(separator: ", ")
        let all = "SELECT \(list) FROM \(shape.name) ORDER BY \(key)"
        reading = Statement(form: .reads { names }, { text ?? all })
        clearing = Statement("DELETE FROM \(shape.name)")
        writing = Statement(form: .writes { names }, { "INSERT INTO \(shape.name) (\(list)) VALUES (\(values))" })
        counting = Statement("SELECT count(*) FROM \(shape.name)")
        try from(reading)
        for statement in [writing, counting, clearing] { try to(statement) }
    }

    /// Copies the rows, in the place of all that are there, such as those of a new record.
    ///
    /// - Parameters:
    ///   - isLeftOut: whether a row is not copied.
    ///   - onRow: called after each row that was copied; false ends the copy.
    /// - Returns: how many rows were copied; nil after `onRow` has ended the copy.
    func run(
        leavingOut isLeftOut: (Statement) throws(SQLError) -> Bool,
        onRow: () -> Bool
    ) throws(SQLError) -> Int64? {
        var count: Int64 = 0
        var goesOn = true
        try clearing.run()
        try reading.forEach { row throws(SQLError) in
            if try isLeftOut(row) { return true }
            for (place, column) in shape.columns.enumerated() {
                try copy(row, Int32(truncatingIfNeeded: place), column.type)
            }
            try writing.run()
            count += 1
            goesOn = onRow()
            return goesOn
        }
        return goesOn ? count : nil
    }

    private func copy(_ row: Statement, _ place: Int32, _ type: ColumnType) throws(SQLError) {
        let parameter = place + 1
        guard !row.isNull(place) else { return writing.bind(parameter, nil) }
        switch type {
        case .integer: writing.bind(parameter, try row.number(place, as: Int64.self))
        case .text: writing.bind(parameter, text: try row.text(place))
        case .bytes: writing.bind(parameter, bytes: row.optionalBytes(place))
        case .any: writing.bind(parameter, textOrBytes: row.optionalBytes(place) ?? [])
        }
    }

    /// How many rows the copy has.
    func countOfCopy() throws(SQLError) -> Int64 {
        try counting.first { row throws(SQLError) in try row.number(0) } ?? 0
    }
}
