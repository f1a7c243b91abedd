@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations

/// The form of values in columns; a value not written by Baton is `corrupt`, never a trap.
extension Statement {
    /// A column with the name of an enumeration's case.
    func word<Value: CaseIterable & CustomStringConvertible>(_ column: Int32) throws(SQLError) -> Value {
        let text = try text(column)
        guard let value = Value.allCases.first(where: { $0.description == text }) else { throw damaged(column) }
        return value
    }

    /// A column with the name of an enumeration's case, or nil for NULL.
    func optionalWord<Value: CaseIterable & CustomStringConvertible>(_ column: Int32) throws(SQLError) -> Value? {
        guard let text = try optionalText(column) else { return nil }
        guard let value = Value.allCases.first(where: { $0.description == text }) else { throw damaged(column) }
        return value
    }

    /// Whether a column is a text in ASCII; costs less than ``optionalText(_:)``.
    func hasText(_ text: StaticString, in column: some RowColumn) -> Bool {
        withBytes(column) { bytes in
            bytes.count == text.utf8CodeUnitCount
                && bytes.elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
        }
    }

    /// A column with 0 or 1.
    func flag(_ column: Int32) throws(SQLError) -> Bool {
        switch try number(column, as: Int64.self) {
        case 0: false
        case 1: true
        default: throw damaged(column)
        }
    }

    /// A column with a moment.
    func time(_ column: Int32) throws(SQLError) -> Timestamp {
        let time = Timestamp(rawValue: try number(column))
        guard Timestamp.recordable.contains(time) else { throw damaged(column) }
        return time
    }

    /// A column with a moment, or NULL.
    func optionalTime(_ column: Int32) throws(SQLError) -> Timestamp? {
        guard let time = try optional(column, as: Int64.self).map({ Timestamp(rawValue: $0) }) else { return nil }
        guard Timestamp.recordable.contains(time) else { throw damaged(column) }
        return time
    }

    /// A column with JSON.
    func json(_ column: Int32) throws(SQLError) -> JSONValue {
        guard let value = JSONValue(try text(column)) else { throw damaged(column) }
        return value
    }

    /// A column with a JSON array of strings.
    func strings(_ column: Int32) throws(SQLError) -> [String] {
        guard let strings = try json(column).strings else { throw damaged(column) }
        return strings
    }
}

extension Timestamp {
    /// The number in a column: that of the nearest moment that can be read back.
    ///
    /// A clock may be wrong by thousands of years, and a delay may end after the last moment that a record can hold.
    var inColumn: Int64 { nearestRecordable.rawValue }

    /// The number in a column of the record's own clock.
    ///
    /// - Parameter offset: how far the time of day is ahead of the record's clock, in microseconds.
    func inColumn(ofClockBehindBy offset: Int64) -> Int64 { Timestamp(rawValue: rawValue &- offset).inColumn }
}
