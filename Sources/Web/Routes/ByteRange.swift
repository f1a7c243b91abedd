/// The part of a file that the header `Range` of a request names (RFC 9110, section 14).
enum ByteRange: Hashable, Sendable {
    /// All bytes: there is no header, or a header that a server may ignore, such as a range of several parts.
    case whole
    /// Some bytes, at least one.
    case part(Range<UInt64>)
    /// Bytes that the file does not have.
    case unsatisfiable

    /// Reads a header.
    ///
    /// - Parameter size: the number of bytes of the file.
    init(_ header: String, size: UInt64) {
        let halves = header.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2, halves[0].lowercased() == "bytes" else {
            self = .whole
            return
        }
        let ends = halves[1].split(separator: "-", omittingEmptySubsequences: false).map { Self.trimmed($0) }
        guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            !(ends[0].isEmpty && ends[1].isEmpty)
        else {
            self = .whole
            return
        }
        if ends[0].isEmpty {
            self = Self.end(of: Self.number(ends[1]), size)
            return
        }
        let (first, last) = (Self.number(ends[0]), ends[1].isEmpty ? UInt64.max : Self.number(ends[1]))
        if first > last {
            self = .whole
        } else {
            self = first >= size ? .unsatisfiable : .part(first..<(min(last, size - 1) + 1))
        }
    }

    /// The last bytes of a file, as many as there are.
    private static func end(of count: UInt64, _ size: UInt64) -> ByteRange {
        count == 0 || size == 0 ? .unsatisfiable : .part(size - min(count, size)..<size)
    }

    /// A number of digits alone; one that no file reaches becomes the largest.
    private static func number(_ digits: Substring) -> UInt64 { UInt64(digits) ?? .max }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}
