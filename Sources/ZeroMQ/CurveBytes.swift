import CBatonZeroMQ

/// The 32 bytes of a key of CURVE, without an allocation.
struct CurveBytes: Hashable, Sendable {
    /// The number of bytes.
    static let count = 32
    /// The number of characters in Z85.
    static let textLength = 40

    private let words: SIMD4<UInt64>

    /// Takes 32 bytes; nil for any other number.
    init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.count else { return nil }
        var words = SIMD4<UInt64>()
        withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: bytes) }
        self.words = words
    }

    /// Reads 40 characters of Z85; nil for any other text.
    init?(z85 text: String) {
        guard text.utf8.count == Self.textLength, !text.utf8.contains(0) else { return nil }
        var words = SIMD4<UInt64>()
        let isValid = withUnsafeMutableBytes(of: &words) { buffer in
            zmq_z85_decode(buffer.bindMemory(to: UInt8.self).baseAddress, text) != nil
        }
        guard isValid else { return nil }
        self.words = words
    }

    /// The bytes as 40 characters of Z85.
    var z85: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Self.textLength + 1) { text in
            withUnsafeBytes { bytes in
                _ = zmq_z85_encode(text.baseAddress, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
            }
            return String(decoding: text.prefix(Self.textLength).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    /// Calls `body` with the bytes, valid until `body` returns.
    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try Swift.withUnsafeBytes(of: words, body)
    }

    /// Whether two keys are equal, found in a time that does not depend on their bytes.
    func isEqualInConstantTime(to other: CurveBytes) -> Bool {
        let difference = words ^ other.words
        return difference[0] | difference[1] | difference[2] | difference[3] == 0
    }
}
