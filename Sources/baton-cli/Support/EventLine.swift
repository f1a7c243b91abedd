#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// An event as the coordinator sends it, asked for some of its members without reading it as JSON: for streams of hundreds
/// of thousands, of which reading each would take longer than what they tell of.
struct EventLine {
    /// A key with what stands before and after it.
    ///
    /// No string in a document can look like it: quotes in it are escaped.
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

    /// The value of a member: a string without its quotes, or a number; nil where there is no such member.
    ///
    /// It is right for values that have neither a comma nor a character that needs an escape.
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
                // A key starts with a quote, of which there are few.
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
