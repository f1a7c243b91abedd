extension [UInt8] {
    /// Makes an array of bytes that are written on the stack first.
    ///
    /// The library's way to write into the memory of a new array asks for the metadata of its type, which takes some hundred instructions.
    ///
    /// - Parameters:
    ///   - count: the number of bytes.
    ///   - write: writes all of the bytes.
    init(count: Int, _ write: (UnsafeMutableRawBufferPointer) -> Void) {
        self = []
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { bytes in
            write(UnsafeMutableRawBufferPointer(bytes))
            append(contentsOf: UnsafeBufferPointer(bytes))
        }
    }

    /// Adds the bytes of a number, the highest first.
    mutating func appendBigEndian(_ number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }

    /// Whether two strings of bytes are equal, found in a time that depends on their lengths alone.
    func isEqualInConstantTime(to other: [UInt8]) -> Bool {
        guard count == other.count else { return false }
        return zip(self, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
