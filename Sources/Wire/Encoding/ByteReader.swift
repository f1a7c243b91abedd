@_spi(Baton) import BatonOperations

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Reads values from the untrusted bytes of a peer.
///
/// Every read is bounded, and throws ``WireError`` if the bytes break the format. Each value has exactly one encoding; other
/// encodings (a number in more bytes than necessary) are refused too.
struct ByteReader {
    /// The type of the message; nil until known.
    ///
    /// Only errors convert the type to text, which takes longer than reading a short message.
    var type: MessageType?
    /// The name of the message in errors, if the type alone is not clear enough.
    var message: String?
    /// Where to note how much of the message is read.
    var progress: ReadingProgress?

    /// How much memory further lists may take: a list can take many times its encoded length.
    private var memory = WireLimits.maximumDecodedLength

    /// How many bytes have been read.
    private(set) var position = 0

    // Valid during the decode call that made the reader; the reader does not outlive the call.
    private let bytes: UnsafeRawBufferPointer

    /// Starts at the first byte.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// How many bytes are left.
    var remaining: Int { bytes.count - position }

    /// Notes how much of the message is read.
    func noteProgress() { progress?.note(position) }

    /// Returns the error for a problem with a field.
    func malformed(_ field: StaticString, _ problem: String) -> WireError {
        let name = message ?? type.map { "\($0)" } ?? "unnamed"
        return .malformed("A peer's \(name) message is malformed: \(field) (before byte \(position)) \(problem).")
    }

    /// Returns the error for a problem with an option.
    func malformed(option key: String, _ problem: String) -> WireError {
        let name = message ?? type.map { "\($0)" } ?? "unnamed"
        return .malformed(
            "A peer's \(name) message is malformed: the option \(key) (before byte \(position)) \(problem)."
        )
    }

    // Not inlined, so that the fast paths stay small.
    @inline(never)
    private func truncated(_ field: StaticString) -> WireError {
        malformed(field, "is cut off: the message ends first")
    }

    /// Reads one byte.
    @inline(__always)
    mutating func byte(_ field: StaticString) throws(WireError) -> UInt8 {
        guard position < bytes.count else { throw truncated(field) }
        defer { position += 1 }
        return bytes[position]
    }

    /// Reads 0 or 1.
    @inline(__always)
    mutating func flag(_ field: StaticString) throws(WireError) -> Bool {
        let value = try byte(field)
        guard value <= 1 else { throw malformed(field, "is \(value) and neither 0 nor 1") }
        return value == 1
    }

    /// Reads a number in as many bytes as its type has.
    mutating func fixed<Number: FixedWidthInteger & BitwiseCopyable>(
        _ field: StaticString,
        as type: Number.Type = Number.self
    ) throws(WireError) -> Number {
        guard remaining >= MemoryLayout<Number>.size else { throw truncated(field) }
        defer { position += MemoryLayout<Number>.size }
        return Number(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: Number.self))
    }

    /// Reads a nonnegative number that fits into its type.
    @inline(__always)
    mutating func varint<Number: FixedWidthInteger>(
        _ field: StaticString,
        as type: Number.Type = Number.self
    ) throws(WireError) -> Number {
        guard let number = Number(exactly: try varint64(field)) else {
            throw malformed(field, "is above \(Number.max)")
        }
        return number
    }

    /// Reads a number of either sign that fits into its type.
    mutating func zigzag<Number: FixedWidthInteger & SignedInteger>(
        _ field: StaticString,
        as type: Number.Type = Number.self
    ) throws(WireError) -> Number {
        let folded = try varint64(field)
        guard let number = Number(exactly: Int64(bitPattern: folded >> 1 ^ (0 &- (folded & 1)))) else {
            throw malformed(field, "is not between \(Number.min) and \(Number.max)")
        }
        return number
    }

    @inline(__always)
    private mutating func varint64(_ field: StaticString) throws(WireError) -> UInt64 {
        if position < bytes.count, bytes[position] < 0x80 {
            defer { position += 1 }
            return UInt64(bytes[position])
        }
        return try longVarint(field)
    }

    @inline(never)
    private mutating func longVarint(_ field: StaticString) throws(WireError) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let next = try byte(field)
            guard shift < 63 || next <= 1 else { throw malformed(field, "does not fit into 64 bits") }
            value |= UInt64(next & 0x7F) << shift
            if next < 0x80 {
                guard next != 0 || shift == 0 else { throw malformed(field, "has more bytes than its number needs") }
                return value
            }
            shift += 7
        }
    }

    /// Reads a text.
    ///
    /// - Parameter limit: the most bytes of the text in UTF-8.
    mutating func text(_ field: StaticString, atMost limit: Int = .max) throws(WireError) -> String {
        let utf8 = try run(field, atMost: limit)
        return try validText(of: utf8, field)
    }

    /// Reads a sentence that a worker has written, and cuts off what is beyond ``WireLimits/maximumSentenceLength``.
    ///
    /// A longer sentence is no error: an earlier version knows no limit.
    mutating func sentence(_ field: StaticString) throws(WireError) -> String {
        let text = try text(field)
        guard text.utf8.count > WireLimits.maximumSentenceLength else { return text }
        let sign = "…"
        var end = text.utf8.index(text.startIndex, offsetBy: WireLimits.maximumSentenceLength - sign.utf8.count)
        while UTF8.isContinuation(text.utf8[end]) { end = text.utf8.index(before: end) }
        return text[..<end] + sign
    }

    /// Reads a text of a length known from the bytes before.
    mutating func text(_ field: StaticString, length: Int) throws(WireError) -> String {
        let utf8 = try run(field, length: length)
        return try validText(of: utf8, field)
    }

    /// Makes a text of bytes, which are valid if they come out of the text as they went in.
    ///
    /// The initializer of the library that validates is generic code, and takes nearly a thousand instructions for a short text.
    private func validText(of utf8: UnsafeBufferPointer<UInt8>, _ field: StaticString) throws(WireError) -> String {
        var text = String(decoding: utf8, as: UTF8.self)
        let isSame = text.withUTF8 { own -> Bool in
            guard own.count == utf8.count else { return false }
            guard let first = own.baseAddress, let other = utf8.baseAddress else { return true }
            return memcmp(first, other, own.count) == 0
        }
        guard isSame else { throw notUTF8(field) }
        return text
    }

    @inline(never)
    private func notUTF8(_ field: StaticString) -> WireError { malformed(field, "is not valid UTF-8") }

    /// Reads a name or a key, and converts it to the normal form for comparison and storage.
    ///
    /// All names and keys of peers pass here, normalised or not.
    mutating func name(_ field: StaticString) throws(WireError) -> String {
        Name.normalized(try text(field, atMost: Name.maximumLength))
    }

    /// Reads bytes.
    ///
    /// - Parameter limit: the most bytes allowed.
    mutating func blob(_ field: StaticString, atMost limit: Int = .max) throws(WireError) -> [UInt8] {
        [UInt8](try run(field, atMost: limit))
    }

    /// Reads bytes whose number is known from the bytes before.
    mutating func blob(_ field: StaticString, length: Int) throws(WireError) -> [UInt8] {
        [UInt8](try run(field, length: length))
    }

    /// Passes over bytes without reading them.
    mutating func skip(_ length: Int, _ field: StaticString) throws(WireError) {
        guard length <= remaining else { throw truncated(field) }
        position += length
    }

    private mutating func run(
        _ field: StaticString,
        atMost limit: Int
    ) throws(WireError) -> UnsafeBufferPointer<UInt8> {
        let length = try varint(field, as: Int.self)
        guard length <= limit else { throw malformed(field, "has \(length) bytes; at most \(limit) are allowed") }
        return try run(field, length: length)
    }

    private mutating func run(_ field: StaticString, length: Int) throws(WireError) -> UnsafeBufferPointer<UInt8> {
        guard length <= remaining else { throw truncated(field) }
        defer { position += length }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<(position + length)]).assumingMemoryBound(
            to: UInt8.self
        )
    }

    /// Reads a case of an enumeration.
    @inline(__always)
    mutating func choice<Value: RawRepresentable<UInt8>>(
        _ field: StaticString,
        as type: Value.Type = Value.self
    ) throws(WireError) -> Value {
        let number = try byte(field)
        guard let value = Value(rawValue: number) else { throw unknown(field, number) }
        return value
    }

    /// Returns the error for a number without a meaning.
    func unknown(_ field: StaticString, _ number: UInt8) -> WireError {
        malformed(field, "is \(number), which this build does not know")
    }

    /// Reads a value by its own encoding.
    @inline(__always)
    mutating func value<Value: WireCodable>(_ type: Value.Type = Value.self) throws(WireError) -> Value {
        try Value(from: &self)
    }

    /// Reads a value that may be absent.
    @inline(__always)
    mutating func optional<Value>(
        _ field: StaticString,
        _ read: (inout ByteReader) throws(WireError) -> Value
    ) throws(WireError) -> Value? {
        try flag(field) ? try read(&self) : nil
    }

    /// Reads a value that may be absent.
    @inline(__always)
    mutating func optional<Value: WireCodable>(
        _ field: StaticString,
        _ type: Value.Type = Value.self
    ) throws(WireError) -> Value? {
        try flag(field) ? try Value(from: &self) : nil
    }

    /// Reads a list whose elements take at least `minimumLength` bytes each.
    ///
    /// A count that the remaining bytes cannot hold is refused before any allocation. The memory reserved in advance is at most
    /// about four times the size of the remaining bytes.
    @inline(__always)
    mutating func list<Element>(
        _ field: StaticString,
        minimumLength: Int,
        atMost limit: Int = .max,
        _ read: (inout ByteReader) throws(WireError) -> Element
    ) throws(WireError) -> [Element] {
        let count = try count(field, minimumLength: minimumLength, atMost: limit)
        try claim(count, of: Element.self, for: field)
        var elements: [Element] = []
        elements.reserveCapacity(min(count, 8 + 4 * remaining / MemoryLayout<Element>.stride))
        for _ in 0..<count {
            elements.append(try read(&self))
        }
        return elements
    }

    /// Refuses a list that takes more memory than the message may still use.
    @inline(__always)
    mutating func claim<Element>(_ count: Int, of type: Element.Type, for field: StaticString) throws(WireError) {
        // A list has at most as many elements as the message has bytes, so that the product cannot overflow.
        memory -= count * MemoryLayout<Element>.stride
        guard memory >= 0 else { throw tooMuch(field) }
    }

    @inline(never)
    private func tooMuch(_ field: StaticString) -> WireError {
        let limit = WireLimits.maximumDecodedLength >> 20
        return malformed(field, "would take more than \(limit) MiB of memory with what is before it")
    }

    /// Reads the number of elements of a list, and refuses a number that the remaining bytes cannot hold.
    @inline(__always)
    mutating func count(
        _ field: StaticString,
        minimumLength: Int,
        atMost limit: Int = .max
    ) throws(WireError) -> Int {
        let count = try varint(field, as: Int.self)
        guard count <= limit else { throw malformed(field, "has \(count) elements; at most \(limit) are allowed") }
        guard count <= remaining / minimumLength else {
            throw malformed(field, "has \(count) elements, more than the \(remaining) remaining bytes can hold")
        }
        return count
    }

    /// Reads a list of values with an encoding of their own.
    @inline(__always)
    mutating func list<Element: WireCodable>(
        _ field: StaticString,
        of type: Element.Type = Element.self,
        atMost limit: Int = .max
    ) throws(WireError) -> [Element] {
        try list(field, minimumLength: Element.minimumLength, atMost: limit) { reader throws(WireError) in
            try Element(from: &reader)
        }
    }
}
