/// The hash function SHA-256 (FIPS 180-4) of a whole message.
enum SHA256 {
    /// The number of bytes that are hashed at a time.
    static let blockLength = 64
    /// The number of bytes of a hash.
    static let length = 32

    /// Returns the 32 bytes of a message's hash.
    static func hash(_ message: [UInt8]) -> [UInt8] {
        [UInt8](count: length) { hash in message.withUnsafeBytes { State().writeHash(endingWith: $0, to: hash) } }
    }
}

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
