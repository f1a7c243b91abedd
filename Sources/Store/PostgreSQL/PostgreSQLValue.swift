/// A value that is given to a statement on PostgreSQL.
enum PostgreSQLValue: Hashable {
    case null
    case number(Int64)
    /// A text in UTF-8.
    case text([UInt8])
    case bytes([UInt8])

    /// About how many bytes the value takes in a message.
    var size: Int {
        switch self {
        case .null: 4
        case .number: 12
        case .text(let bytes), .bytes(let bytes): 4 + bytes.count
        }
    }

    /// Appends the value in PostgreSQL's binary form, without its length.
    ///
    /// PostgreSQL has no U+0000 in texts: U+FFFD takes its place.
    ///
    /// - Throws: `statement` for a text in the place of a number; NULL has no form.
    func append(as type: ColumnType, to buffer: inout [UInt8]) throws(SQLError) {
        switch (type, self) {
        case (.integer, .number(let number)):
            buffer.append(bigEndian: UInt64(bitPattern: number))
        case (.integer, _):
            throw SQLError(.statement, "a text was given for a number")
        case (.text, .number(let number)):
            buffer += "\(number)".utf8
        case (.text, .text(let bytes)), (.text, .bytes(let bytes)):
            guard bytes.contains(0) else {
                buffer += bytes
                return
            }
            for byte in bytes {
                if byte == 0 { buffer += "\u{FFFD}".utf8 } else { buffer.append(byte) }
            }
        case (.bytes, .number(let number)), (.any, .number(let number)):
            buffer += "\(number)".utf8
        case (.bytes, .text(let bytes)), (.any, .text(let bytes)), (.bytes, .bytes(let bytes)),
            (.any, .bytes(let bytes)):
            buffer += bytes
        case (_, .null):
            break
        }
    }

    /// Appends the values of a column as an array in PostgreSQL's binary form.
    static func append(
        arrayOf count: Int,
        as type: ColumnType,
        to buffer: inout [UInt8],
        _ value: (Int) -> PostgreSQLValue
    ) throws(SQLError) {
        // Dimensions, whether there may be NULL, the type, and of the only dimension the length and the first index.
        for word in [1, 1, type.number, UInt32(count), 1] { buffer.append(bigEndian: word) }
        for position in 0..<count {
            let element = value(position)
            if element == .null {
                buffer.append(bigEndian: UInt32.max)
                continue
            }
            let start = buffer.count
            buffer.append(bigEndian: UInt32(0))
            try element.append(as: type, to: &buffer)
            let length = UInt32(truncatingIfNeeded: buffer.count - start - 4)
            withUnsafeBytes(of: length.bigEndian) { bytes in
                for (offset, byte) in bytes.enumerated() { buffer[start + offset] = byte }
            }
        }
    }
}

extension ColumnType {
    /// The number by which PostgreSQL knows the type.
    var number: UInt32 {
        switch self {
        case .integer: 20
        case .text: 25
        case .bytes, .any: 17
        }
    }

    /// The number by which PostgreSQL knows arrays of the type.
    var arrayNumber: UInt32 {
        switch self {
        case .integer: 1016
        case .text: 1009
        case .bytes, .any: 1001
        }
    }

    /// The name of the type in SQL.
    var name: String {
        switch self {
        case .integer: "bigint"
        case .text: "text"
        case .bytes, .any: "bytea"
        }
    }
}

extension [UInt8] {
    /// Appends a number, its highest byte first.
    fileprivate mutating func append(bigEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }
}
