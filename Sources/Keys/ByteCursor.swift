/// Takes fields off the front of decoded bytes; every take beyond the end is nil.
struct ByteCursor {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: some Sequence<UInt8>) {
        rest = ArraySlice(bytes)
    }

    /// Whether all bytes were taken.
    var isAtEnd: Bool { rest.isEmpty }

    /// Takes a number of bytes.
    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// Takes a number, the highest byte first.
    mutating func number<Number: FixedWidthInteger & UnsignedInteger>(_ type: Number.Type) -> Number? {
        bytes(MemoryLayout<Number>.size)?.reduce(0) { ($0 << 8) | Number($1) }
    }
}
