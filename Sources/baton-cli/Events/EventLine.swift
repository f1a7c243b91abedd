#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// An event from the coordinator, searched for single members without JSON parsing.
///
/// A stream may have hundreds of thousands of events, and parsing each event would take longer than the recorded work.
struct EventLine {
    /// A key, with its quotes and colon.
    ///
    /// No string in a document can contain the same bytes, because quotes inside a string are escaped.
    struct Key {
        fileprivate let bytes: [UInt8]

        init(_ name: StaticString) {
            bytes = Array(#"""#.utf8) + name.withUTF8Buffer { Array($0) } + Array(#"":"#.utf8)
        }
    }

    private let bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    /// Whether the event has a member.
    func has(_ key: Key) -> Bool { position(after: key) != nil }

    /// The value of a member: a string without its quotes, or a number; nil if the event has no member with the key.
    ///
    /// The result is correct only for values without commas and without escapes.
    func value(_ key: Key) -> Substring? {
        guard let start = position(after: key) else { return nil }
        let end = bytes[start...].firstIndex { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}") } ?? bytes.endIndex
        let value = Substring(decoding: bytes[start..<end], as: UTF8.self)
        return value.hasPrefix("\"") ? value.dropFirst().dropLast() : value
    }

    private func position(after key: Key) -> Int? {
        bytes.withUnsafeBytes { buffer in
            var start = 0
            while start + key.bytes.count <= buffer.count, let base = buffer.baseAddress {
                // Search for a quote first: a key starts with a quote, and quotes are rare.
                guard let quote = memchr(base + start, Int32(UInt8(ascii: "\"")), buffer.count - start) else { break }
                start = UnsafeRawPointer(quote) - base
                let isWhole = start + key.bytes.count <= buffer.count
                if isWhole, memcmp(quote, key.bytes, key.bytes.count) == 0 {
                    return bytes.startIndex + start + key.bytes.count
                }
                start += 1
            }
            return nil
        }
    }
}
