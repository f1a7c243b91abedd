/// The values of a statement's parameters in the binary form of a message.
struct ServerParameters {
    /// The values one after the other; the first byte belongs to none, so that there always is an address.
    private(set) var bytes: [UInt8] = [0]
    /// Where each value begins and how long it is; nil for NULL.
    private var places: [Range<Int>?] = []

    /// Adds a value.
    mutating func append(_ value: PostgreSQLValue, as type: ColumnType) throws(SQLError) {
        guard value != .null else { return places.append(nil) }
        let start = bytes.count
        try value.append(as: type, to: &bytes)
        places.append(start..<bytes.count)
    }

    /// Adds an array.
    mutating func append(
        arrayOf count: Int,
        as type: ColumnType,
        _ value: (Int) -> PostgreSQLValue
    ) throws(SQLError) {
        let start = bytes.count
        try PostgreSQLValue.append(arrayOf: count, as: type, to: &bytes, value)
        places.append(start..<bytes.count)
    }

    /// Lends what a call into libpq takes: the number of values, their addresses, their lengths and their forms.
    func withPointers<Result>(
        _ body: (Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?) -> Result
    ) -> Result {
        guard !places.isEmpty else { return body(0, nil, nil, nil) }
        return bytes.withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                let values = places.map { place in place.flatMap { characters.baseAddress?.advanced(by: $0.lowerBound) }
                }
                let lengths = places.map { Int32(truncatingIfNeeded: $0?.count ?? 0) }
                let forms = [Int32](repeating: 1, count: places.count)
                return body(Int32(places.count), values, lengths, forms)
            }
        }
    }
}
