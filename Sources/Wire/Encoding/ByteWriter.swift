/// Appends values to a growing array of bytes.
///
/// Numbers whose size is part of the layout are little-endian; all other numbers are varints, seven bits a byte, low bits
/// first. Signed numbers are zigzag-encoded before (0, -1, 1, -2, ...), so that small numbers stay short.
struct ByteWriter {
    /// The bytes written so far.
    private(set) var bytes: [UInt8] = []

    /// Appends one byte.
    mutating func byte(_ value: UInt8) {
        bytes.append(value)
    }

    /// Appends 1 or 0.
    mutating func flag(_ value: Bool) {
        bytes.append(value ? 1 : 0)
    }

    /// Appends a number in as many bytes as its type has.
    mutating func fixed(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Appends a nonnegative number; a negative number becomes a large number, which the reader refuses.
    mutating func varint(_ value: some FixedWidthInteger) {
        var rest = UInt64(truncatingIfNeeded: value)
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends a number of either sign.
    mutating func zigzag(_ value: some FixedWidthInteger & SignedInteger) {
        let wide = Int64(truncatingIfNeeded: value)
        varint(UInt64(bitPattern: wide << 1 ^ wide >> 63))
    }

    /// Appends a text: its length in UTF-8, then the bytes.
    mutating func text(_ value: String) {
        let utf8 = value.utf8
        varint(utf8.count)
        bytes.append(contentsOf: utf8)
    }

    /// Appends a text without its length.
    mutating func bytes(of text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// Appends bytes without their number.
    mutating func bytes(of data: [UInt8]) {
        bytes.append(contentsOf: data)
    }

    /// Appends bytes, their number first.
    mutating func blob(_ value: [UInt8]) {
        varint(value.count)
        bytes.append(contentsOf: value)
    }

    /// Appends a case of an enumeration as its number.
    mutating func choice<Value: RawRepresentable<UInt8>>(_ value: Value) {
        bytes.append(value.rawValue)
    }

    /// Appends a value by its own encoding.
    mutating func value(_ value: some WireCodable) {
        value.write(to: &self)
    }

    /// Appends 0 for nil, else 1 and the value.
    mutating func optional<Value>(_ value: Value?, _ write: (inout ByteWriter, Value) -> Void) {
        flag(value != nil)
        if let value { write(&self, value) }
    }

    /// Appends 0 for nil, else 1 and the value.
    mutating func optional(_ value: (some WireCodable)?) {
        optional(value) { $0.value($1) }
    }

    /// Appends the number of elements, then the elements.
    mutating func list<Element>(_ elements: [Element], _ write: (inout ByteWriter, Element) -> Void) {
        varint(elements.count)
        for element in elements { write(&self, element) }
    }

    /// Appends the number of elements, then the elements.
    mutating func list(_ elements: some Collection<some WireCodable>) {
        varint(elements.count)
        for element in elements { value(element) }
    }
}
