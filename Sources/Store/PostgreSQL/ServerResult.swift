import CBatonPostgreSQL

/// The rows that a statement has returned, in memory.
final class ServerResult {
    private let library: UnsafePointer<cpostgresql>
    private let handle: OpaquePointer
    /// The number of rows.
    let count: Int32
    /// The types of the columns.
    private let types: [UInt32]

    /// Takes over a result of libpq.
    init(_ handle: OpaquePointer, _ library: UnsafePointer<cpostgresql>) {
        self.handle = handle
        self.library = library
        count = library.pointee.ntuples(handle)
        types = (0..<library.pointee.nfields(handle)).map { library.pointee.ftype(handle, $0) }
    }

    deinit {
        library.pointee.clear(handle)
    }

    /// The number of columns.
    var columnCount: Int32 { Int32(types.count) }

    /// The name of a column, counted from 0; nil for a column that is not there.
    func name(_ column: Int32) -> String? {
        library.pointee.fname(handle, column).map { String(cString: $0) }
    }

    /// What kind of value a column has.
    enum Kind {
        case number, text, bytes, other
    }

    /// What kind of value a column has, apart from NULL.
    func kind(_ column: Int32) -> Kind {
        guard types.indices.contains(Int(column)) else { return .other }
        switch types[Int(column)] {
        case 16, 20, 21, 23, 1700: return .number
        case 17: return .bytes
        case 19, 25, 1042, 1043: return .text
        default: return .other
        }
    }

    /// Whether a value is NULL, or not there.
    func isNull(_ row: Int32, _ column: Int32) -> Bool { library.pointee.getisnull(handle, row, column) != 0 }

    /// A number; nil if the column has none, or one of more than 64 bits.
    func number(_ row: Int32, _ column: Int32) -> Int64? {
        guard types.indices.contains(Int(column)) else { return nil }
        return withBytes(row, column) { bytes -> Int64? in
            switch types[Int(column)] {
            case 16: bytes.first.map { Int64($0) }
            case 20: Int64(bitPattern: UInt64(bigEndian: bytes))
            case 21: Int64(Int16(truncatingIfNeeded: UInt64(bigEndian: bytes)))
            case 23: Int64(Int32(truncatingIfNeeded: UInt64(bigEndian: bytes)))
            case 1700: Int64(numeric: bytes)
            default: nil
            }
        }
    }

    /// Lends the bytes of a value, in its binary form; NULL reads as nothing.
    func withBytes<Value, Failure: Error>(
        _ row: Int32,
        _ column: Int32,
        _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let start = UnsafeRawPointer(library.pointee.getvalue(handle, row, column))
        let count = Int(library.pointee.getlength(handle, row, column))
        let bytes = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
        return try body(bytes.assumingMemoryBound(to: UInt8.self))
    }

    /// How many rows the statement has changed or returned.
    var changedRows: Int { library.pointee.cmdTuples(handle).flatMap { Int(String(cString: $0)) } ?? 0 }

    /// What the server says of the statement, such as `INSERT 0 1`.
    var command: String { library.pointee.cmdStatus(handle).map { String(cString: $0) } ?? "" }
}

extension UInt64 {
    /// The number in at most eight bytes, the highest of which comes first.
    fileprivate init(bigEndian bytes: UnsafeBufferPointer<UInt8>) {
        self = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension Int64 {
    /// The whole part of a number in PostgreSQL's decimal form; nil for one that is too large, or no number.
    ///
    /// The form has four words of 16 bits before its digits, each of which counts to 10,000: how many digits there are, the
    /// power of the first, the sign, and how many decimal places are shown.
    fileprivate init?(numeric bytes: UnsafeBufferPointer<UInt8>) {
        func word(_ place: Int) -> Int? {
            guard bytes.count >= 2 * place + 2 else { return nil }
            return Int(bytes[2 * place]) << 8 | Int(bytes[2 * place + 1])
        }
        guard let count = word(0), let rawPower = word(1), let sign = word(2), sign == 0 || sign == 0x4000 else {
            return nil
        }
        let power = Int(Int16(truncatingIfNeeded: rawPower))
        var magnitude: UInt64 = 0
        if power >= 0 {
            for position in 0...power {
                guard let digit = position < count ? word(4 + position) : 0 else { return nil }
                let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10_000)
                let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
                guard !overflow, !carry else { return nil }
                magnitude = sum
            }
        }
        if sign == 0 {
            self.init(exactly: magnitude)
        } else {
            guard magnitude <= UInt64(Int64.max) + 1 else { return nil }
            self.init(truncatingIfNeeded: 0 &- magnitude)
        }
    }
}
