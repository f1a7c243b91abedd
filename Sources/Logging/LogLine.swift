@_spi(Baton) import BatonTexts

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A line on its way to a descriptor.
struct LogLine {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// Adds a moment as `2026-11-21T03:00:00.123Z`.
    mutating func append(timestamp: LogTime) {
        var seconds = timestamp.seconds
        var parts = tm()
        gmtime_r(&seconds, &parts)
        append(number: Int(parts.tm_year) + 1900, digits: 4)
        append("-")
        append(number: Int(parts.tm_mon) + 1, digits: 2)
        append("-")
        append(number: Int(parts.tm_mday), digits: 2)
        append("T")
        append(number: Int(parts.tm_hour), digits: 2)
        append(":")
        append(number: Int(parts.tm_min), digits: 2)
        append(":")
        append(number: Int(parts.tm_sec), digits: 2)
        append(".")
        append(number: timestamp.milliseconds, digits: 3)
        append("Z")
    }

    /// Adds a text, and escapes characters that would end the line, move a terminal's cursor, or hide or turn round a part of it.
    mutating func append(escaping text: String) {
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return append(escapingScalarsOf: text) }
        append(escapingASCII: text.utf8)
    }

    private mutating func append(escapingScalarsOf text: String) {
        for scalar in text.unicodeScalars {
            if scalar.isASCII {
                append(escapingASCII: CollectionOfOne(UInt8(truncatingIfNeeded: scalar.value)))
            } else if PrintableText.isControl(scalar) || PrintableText.isHidden(scalar) {
                append("\\u{\(String(scalar.value, radix: 16))}")
            } else {
                append(String(scalar))
            }
        }
    }

    private mutating func append(escapingASCII text: some Sequence<UInt8>) {
        for byte in text {
            switch byte {
            case UInt8(ascii: "\n"): append("\\n")
            case UInt8(ascii: "\r"): append("\\r")
            case UInt8(ascii: "\t"): append("\\t")
            case 0..<0x20, 0x7f:
                append("\\x")
                append(hexadecimal: byte >> 4)
                append(hexadecimal: byte & 0xf)
            default: bytes.append(byte)
            }
        }
    }

    /// Adds a text, in quotes if a reader could otherwise take the text for several values.
    mutating func append(value: String) {
        let needsQuotes = value.isEmpty || value.utf8.contains { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\"") }
        guard needsQuotes else { return append(escaping: value) }
        append("\"")
        // A character may be a quote with an accent: the scalars decide.
        var rest = value.unicodeScalars[...]
        while let special = rest.firstIndex(where: { $0 == "\"" || $0 == "\\" }) {
            append(escaping: String(rest[..<special]))
            append(rest[special] == "\"" ? "\\\"" : "\\\\")
            rest = rest[rest.index(after: special)...]
        }
        append(escaping: String(rest))
        append("\"")
    }

    /// Ends the line and writes it, in a single call unless the call is interrupted or writes only a part.
    consuming func write(to descriptor: Int32) {
        bytes.append(UInt8(ascii: "\n"))
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest))
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if errno != EINTR {
                    return
                }
            }
        }
    }

    private mutating func append(number: Int, digits: Int) {
        let text = String(number)
        for _ in 0..<max(digits - text.utf8.count, 0) { bytes.append(UInt8(ascii: "0")) }
        append(text)
    }

    private mutating func append(hexadecimal digit: UInt8) {
        bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }
}

/// A separate name for write(2): inside `LogLine`, `write` is a method.
private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawBufferPointer) -> Int {
    write(descriptor, buffer.baseAddress, buffer.count)
}
