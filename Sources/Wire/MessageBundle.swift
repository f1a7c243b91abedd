/// Several messages over a connection for files as one, so that many small files do not cost a message each.
///
/// Who sends messages over such a connection adds those that are ready at the same time, and sends what ``take()`` returns. The receiver
/// takes the messages in their order, as if each had come alone. A bundle holds no bundle.
@_spi(Baton) public struct MessageBundle: Hashable, Sendable {
    /// The most bytes of a bundle: longer ones would keep other messages of their connection waiting for longer than a piece does.
    public static let maximumLength = 256 << 10
    /// The most messages of a bundle.
    public static let maximumCount = 1024
    /// The bytes in front of the first message: those of all messages, and the number of messages.
    private static let headLength = 4
    /// The most bytes in front of each message: its length.
    private static let longestPrefix = 3

    /// The only message, or the bundle so far.
    private var bytes: [UInt8] = []
    private var count = 0
    /// The bytes of the messages.
    private var length = 0

    /// Begins without messages.
    public init() {}

    /// Whether there is no message.
    public var isEmpty: Bool { count == 0 }

    /// The bytes that ``take()`` returns beside those of the messages.
    public var overhead: Int { bytes.count - length }

    /// Whether another message fits in; the first always does.
    public func hasRoom(for length: Int) -> Bool {
        isEmpty
            || count < Self.maximumCount
                && bytes.count + length + Self.headLength + 2 * Self.longestPrefix <= Self.maximumLength
    }

    /// Adds a message behind the others.
    public mutating func append(_ message: [UInt8]) {
        count += 1
        length += message.count
        guard count > 1 else { return bytes = message }
        if count == 2 {
            let first = bytes
            // The number of messages is written at the end.
            bytes = [MessageType.magic, MessageType.bundle.rawValue, 0, 0]
            appendPart(first)
        }
        appendPart(message)
    }

    private mutating func appendPart(_ message: [UInt8]) {
        var prefix = ByteWriter()
        prefix.varint(message.count)
        bytes += prefix.bytes
        bytes += message
    }

    /// Removes all messages.
    ///
    /// - Returns: a message with all of them: the only one itself, or a bundle; nil without any.
    public mutating func take() -> [UInt8]? {
        guard !isEmpty else { return nil }
        var taken: [UInt8] = []
        swap(&taken, &bytes)
        if count > 1 {
            (taken[2], taken[3]) = (UInt8(truncatingIfNeeded: count), UInt8(truncatingIfNeeded: count >> 8))
        }
        (count, length) = (0, 0)
        return taken
    }

    // MARK: - Reading

    /// Whether bytes begin as a bundle does.
    public static func isBundle(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count >= 2 && bytes[0] == MessageType.magic && bytes[1] == MessageType.bundle.rawValue
    }

    /// The places of the messages in a bundle.
    ///
    /// - Throws: ``WireError`` `malformed` unless the bytes are exactly a bundle of at least two messages.
    public static func parts(of bytes: UnsafeRawBufferPointer) throws(WireError) -> [Range<Int>] {
        try ByteReader.decode(bytes) { type, reader throws(WireError) in
            guard type == .bundle else { throw reader.malformed("the type", "is not that of a bundle") }
            let count = Int(try reader.fixed("the number of messages", as: UInt16.self))
            guard (2...maximumCount).contains(count) else {
                throw reader.malformed("the number of messages", "is \(count) and not between 2 and \(maximumCount)")
            }
            var parts: [Range<Int>] = []
            parts.reserveCapacity(count)
            for _ in 0..<count {
                let length = try reader.varint("the length of a message", as: Int.self)
                guard length > 0 else { throw reader.malformed("the length of a message", "is 0") }
                let start = reader.position
                try reader.skip(length, "a message")
                parts.append(start..<(start + length))
            }
            return parts
        }
    }
}
