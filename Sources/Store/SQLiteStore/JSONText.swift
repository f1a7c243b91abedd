/// The small part of JSON used in text columns: strings, whole numbers, arrays and objects.
///
/// Foundation's coders would cost several times as much, and this module needs nothing else of Foundation.
enum JSONText: Hashable {
    case string(String)
    case integer(Int64)
    case array([JSONText])
    case object([String: JSONText])

    /// The most levels of nesting that the reader accepts; the writer uses three at most.
    private static let maximumDepth = 8

    /// The strings of an array of strings; nil for any other value.
    var strings: [String]? {
        guard case .array(let elements) = self else { return nil }
        var result: [String] = []
        result.reserveCapacity(elements.count)
        for element in elements {
            guard case .string(let text) = element else { return nil }
            result.append(text)
        }
        return result
    }

    /// The whole numbers of an array of whole numbers; nil for any other value.
    var integers: [Int64]? {
        guard case .array(let elements) = self else { return nil }
        var result: [Int64] = []
        result.reserveCapacity(elements.count)
        for element in elements {
            guard case .integer(let number) = element else { return nil }
            result.append(number)
        }
        return result
    }

    /// An array of strings.
    static func strings(_ texts: some Sequence<String>) -> JSONText {
        .array(texts.map { .string($0) })
    }

    // MARK: Writing

    /// The JSON as text, without white space; keys are sorted.
    var text: String {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .string(let text): Self.write(text, to: &bytes)
        case .integer(let number): bytes.append(contentsOf: String(number).utf8)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (position, element) in elements.enumerated() {
                if position > 0 { bytes.append(UInt8(ascii: ",")) }
                element.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (position, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if position > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.write(member.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case UInt8(ascii: "\n"): bytes.append(contentsOf: "\\n".utf8)
            case UInt8(ascii: "\t"): bytes.append(contentsOf: "\\t".utf8)
            case 0..<0x20:
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(contentsOf: [byte >> 4, byte & 15].map { $0 < 10 ? 0x30 + $0 : 0x57 + $0 })
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    // MARK: Reading

    /// Reads a whole text.
    ///
    /// - Returns: nil unless the text is JSON of these kinds.
    init?(_ text: String) {
        var reader = Reader(bytes: Array(text.utf8))
        guard let value = reader.value(depth: 0) else { return nil }
        reader.skipSpace()
        guard reader.position == reader.bytes.count else { return nil }
        self = value
    }

    private struct Reader {
        let bytes: [UInt8]
        var position = 0

        private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

        mutating func skipSpace() {
            while let byte = next, byte == 0x20 || (0x09...0x0D).contains(byte) { position += 1 }
        }

        private mutating func take(_ character: Unicode.Scalar) -> Bool {
            skipSpace()
            guard next == UInt8(ascii: character) else { return false }
            position += 1
            return true
        }

        mutating func value(depth: Int) -> JSONText? {
            guard depth < maximumDepth else { return nil }
            skipSpace()
            switch next {
            case UInt8(ascii: "\""): return string().map { .string($0) }
            case UInt8(ascii: "["): return array(depth: depth)
            case UInt8(ascii: "{"): return object(depth: depth)
            default: return integer()
            }
        }

        private mutating func integer() -> JSONText? {
            let start = position
            while let byte = next, byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte) { position += 1 }
            return Int64(String(decoding: bytes[start..<position], as: UTF8.self)).map { .integer($0) }
        }

        private mutating func array(depth: Int) -> JSONText? {
            guard take("[") else { return nil }
            var elements: [JSONText] = []
            if take("]") { return .array(elements) }
            repeat {
                guard let element = value(depth: depth + 1) else { return nil }
                elements.append(element)
            } while take(",")
            return take("]") ? .array(elements) : nil
        }

        private mutating func object(depth: Int) -> JSONText? {
            guard take("{") else { return nil }
            var members: [String: JSONText] = [:]
            if take("}") { return .object(members) }
            repeat {
                skipSpace()
                guard let key = string(), take(":"), let member = value(depth: depth + 1) else { return nil }
                members[key] = member
            } while take(",")
            return take("}") ? .object(members) : nil
        }

        private mutating func string() -> String? {
            guard take("\"") else { return nil }
            var text: [UInt8] = []
            while let byte = next {
                position += 1
                switch byte {
                case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
                case UInt8(ascii: "\\"):
                    guard let scalar = escape() else { return nil }
                    text.append(contentsOf: String(scalar).utf8)
                default: text.append(byte)
                }
            }
            return nil
        }

        private mutating func escape() -> Unicode.Scalar? {
            guard let byte = next else { return nil }
            position += 1
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
            case UInt8(ascii: "b"): return "\u{8}"
            case UInt8(ascii: "f"): return "\u{C}"
            case UInt8(ascii: "n"): return "\n"
            case UInt8(ascii: "r"): return "\r"
            case UInt8(ascii: "t"): return "\t"
            case UInt8(ascii: "u"):
                guard let unit = codeUnit() else { return nil }
                guard (0xD800..<0xDC00).contains(unit) else { return Unicode.Scalar(unit) }
                guard position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
                    bytes[position + 1] == UInt8(ascii: "u")
                else { return nil }
                position += 2
                guard let low = codeUnit(), (0xDC00..<0xE000).contains(low) else { return nil }
                return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
            default: return nil
            }
        }

        private mutating func codeUnit() -> UInt32? {
            guard position + 4 <= bytes.count else { return nil }
            let digits = bytes[position..<position + 4]
            guard digits.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }) else { return nil }
            position += 4
            return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        }
    }
}
