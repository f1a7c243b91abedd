/// The hash function SHA-256 (FIPS 180-4) of a whole message.
enum SHA256 {
    /// The number of bytes that are hashed at a time.
    static let blockLength = 64
    /// The number of bytes of a hash.
    static let length = 32

    /// Returns the 32 bytes of a message's hash.
    static func hash(_ message: [UInt8]) -> [UInt8] { State().hash(endingWith: message) }
}

extension [UInt8] {
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
