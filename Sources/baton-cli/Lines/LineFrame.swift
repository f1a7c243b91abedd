import CBatonLine

/// A message between a line of make and the `with-job` that runs it: its kind, the length of its content, the content.
struct LineFrame: Equatable, Sendable {
    /// The kinds of messages; `CLine.h` has their numbers and describes them.
    enum Kind: UInt8, CaseIterable, Sendable {
        case call = 1
        case written, unwritable, signal
        case key, standardOutput, standardError, note, exit, death, refusal, attempt
    }

    /// The most bytes of a content to the line.
    static let longestContent = Int(CLINE_LONGEST_MESSAGE)
    /// The most bytes of a content from the line: more than the system takes as the arguments and variables of a program.
    fileprivate static let longestCall = 1 << 26

    /// The bytes before the content.
    fileprivate static let headerLength = 5

    let kind: Kind
    let content: [UInt8]

    init(_ kind: Kind, _ content: [UInt8] = []) {
        self.kind = kind
        self.content = content
    }

    init(_ kind: Kind, number: Int32) {
        self.init(kind, withUnsafeBytes(of: number.littleEndian) { Array($0) })
    }

    /// The number in the content; nil for another content.
    var number: Int32? {
        guard content.count == MemoryLayout<Int32>.size else { return nil }
        return content.withUnsafeBytes { Int32(littleEndian: $0.loadUnaligned(as: Int32.self)) }
    }

    /// The frame as bytes.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.headerLength + content.count)
        bytes.append(kind.rawValue)
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: content.count).littleEndian) { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: content)
        return bytes
    }
}

/// Cuts the bytes of a connection into frames.
struct LineFrameReader {
    /// Bytes that are no frame.
    struct Malformed: Error {}

    private var bytes: [UInt8] = []

    /// Adds what has arrived.
    mutating func append(_ piece: UnsafeRawBufferPointer) { bytes.append(contentsOf: piece) }

    /// Takes the next frame; nil if it has not arrived as a whole.
    mutating func next() throws(Malformed) -> LineFrame? {
        guard bytes.count >= LineFrame.headerLength else { return nil }
        let length = bytes.withUnsafeBytes {
            Int(UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: 1, as: UInt32.self)))
        }
        guard let kind = LineFrame.Kind(rawValue: bytes[0]), length <= LineFrame.longestCall else { throw Malformed() }
        let end = LineFrame.headerLength + length
        guard bytes.count >= end else { return nil }
        defer { bytes.removeFirst(end) }
        return LineFrame(kind, Array(bytes[LineFrame.headerLength..<end]))
    }
}
