/// Writes compact JSON into a byte array, in the order of the calls.
///
/// The writer inserts the commas. The caller is responsible for nesting: each `begin` needs its `end`, and each key one value.
///
/// - Complexity: O(bytes written); the output array is the only allocation.
@_spi(Baton) public struct JSONWriter: Sendable {
    /// The output so far, in UTF-8.
    public private(set) var bytes: [UInt8] = []
    /// Whether the next value or key needs a comma in front.
    private var needsComma = false

    /// Creates a writer without output.
    public init() {}

    /// A text as a JSON string.
    public static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.quote(text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Returns the output so far and empties the buffer, so that a caller can pass on a long text in pieces.
    public mutating func takeBytes() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    /// Ends a line behind a whole value; the next value begins a document of its own.
    public mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
        needsComma = false
    }

    /// Opens an object.
    public mutating func beginObject() {
        separate()
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
    }

    /// Closes the innermost object.
    public mutating func endObject() {
        bytes.append(UInt8(ascii: "}"))
        needsComma = true
    }

    /// Opens an array.
    public mutating func beginArray() {
        separate()
        bytes.append(UInt8(ascii: "["))
        needsComma = false
    }

    /// Closes the innermost array.
    public mutating func endArray() {
        bytes.append(UInt8(ascii: "]"))
        needsComma = true
    }

    /// Writes the key of the next member; the key must not need escapes.
    public mutating func key(_ key: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        key.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes the key of the next member, as it stands in JSON, with quotes and colon.
    public mutating func key(encoded key: [UInt8]) {
        separate()
        bytes.append(contentsOf: key)
        needsComma = false
    }

    /// Writes the key of the next member, with escapes if necessary.
    public mutating func key(_ key: String) {
        value(key)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a string, or null.
    public mutating func value(_ text: String?) {
        guard let text else { return null() }
        separate()
        quote(text)
        needsComma = true
    }

    /// Writes a string whose bytes are ASCII and need no escapes.
    public mutating func value(ascii text: UnsafeBufferPointer<UInt8>) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: text)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// Writes a whole number, or null.
    @inlinable
    public mutating func value(_ number: (some FixedWidthInteger)?) {
        if let number { value(digits: String(number)) } else { null() }
    }

    /// Writes a number, or null; infinity and NaN become null, because JSON has no form for either.
    public mutating func value(_ number: Double?) {
        guard let number, number.isFinite else { return null() }
        value(digits: number.description)
    }

    /// Writes true or false.
    public mutating func value(_ truth: Bool) {
        separate()
        bytes.append(contentsOf: truth ? "true".utf8 : "false".utf8)
        needsComma = true
    }

    /// Writes null.
    public mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
        needsComma = true
    }

    /// Writes a number in JSON's notation, as its text.
    @usableFromInline
    mutating func value(digits: String) {
        separate()
        bytes.append(contentsOf: digits.utf8)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    private mutating func quote(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { text in
            // Most texts have nothing to escape: whole runs cost much less than single bytes.
            var runStart = 0
            for (offset, byte) in text.enumerated()
            where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[runStart..<offset]))
                escape(byte)
                runStart = offset + 1
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[runStart...]))
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\n"): bytes.append(UInt8(ascii: "n"))
        case UInt8(ascii: "\r"): bytes.append(UInt8(ascii: "r"))
        case UInt8(ascii: "\t"): bytes.append(UInt8(ascii: "t"))
        case ..<0x20:
            bytes.append(contentsOf: byte < 0x10 ? "u000".utf8 : "u001".utf8)
            bytes.append(contentsOf: String(byte & 0xF, radix: 16).utf8)
        default: bytes.append(byte)
        }
    }
}
