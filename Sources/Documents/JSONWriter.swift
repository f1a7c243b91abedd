/// Writes compact JSON into bytes, in the order in which it is told.
///
/// Commas are its business, nesting is the caller's: each `begin` needs its `end`, and each key one value.
///
/// - Complexity: O(bytes written); it allocates for nothing but its own bytes.
public struct JSONWriter: Sendable {
    /// What was written so far, in UTF-8.
    public private(set) var bytes: [UInt8] = []
    /// Whether something stands before the next value or key that a comma has to part it from.
    private var needsComma = false

    /// Starts with nothing.
    public init() {}

    /// Takes what was written so far out, so that a long text can be passed on in pieces.
    public mutating func takeBytes() -> [UInt8] {
        defer { bytes = [] }
        return bytes
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

    /// Writes the key of the next member, which must need no escapes.
    public mutating func key(_ key: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        key.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes the key of the next member, whatever is in it.
    public mutating func key(_ key: String) {
        value(key)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a string, or null.
    public mutating func value(_ text: String?) {
        separate()
        if let text { quote(text) } else { null() }
        needsComma = true
    }

    /// Writes a whole number, or null.
    public mutating func value(_ number: (some FixedWidthInteger)?) {
        separate()
        if let number { bytes.append(contentsOf: String(number).utf8) } else { null() }
        needsComma = true
    }

    /// Writes a number, or null; null too for those that JSON does not have, infinity and NaN.
    public mutating func value(_ number: Double?) {
        separate()
        if let number, number.isFinite { bytes.append(contentsOf: number.description.utf8) } else { null() }
        needsComma = true
    }

    /// Writes true or false.
    public mutating func value(_ truth: Bool) {
        separate()
        bytes.append(contentsOf: truth ? "true".utf8 : "false".utf8)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    private mutating func null() {
        bytes.append(contentsOf: "null".utf8)
    }

    private mutating func quote(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case UInt8(ascii: "\n"): bytes.append(contentsOf: "\\n".utf8)
            case UInt8(ascii: "\r"): bytes.append(contentsOf: "\\r".utf8)
            case UInt8(ascii: "\t"): bytes.append(contentsOf: "\\t".utf8)
            case ..<0x20:
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
                bytes.append(contentsOf: String(byte & 0xF, radix: 16).utf8)
            default:
                bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
