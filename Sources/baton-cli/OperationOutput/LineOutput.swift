@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Prints the output of several operations in whole lines, so that no line of one runs into a line of another.
///
/// What is printed waits in a buffer until ``flush()`` or until there is much of it.
struct LineOutput {
    /// What stands in front of the lines.
    struct Marks {
        /// Whether the address of the operation does, with its name if there is one.
        var operation = false
        /// Whether the stream does.
        var stream = false
        /// Whether a line says which attempt begins, from the second one on.
        var attempt = false
    }

    /// The most bytes of a line that has not ended; a longer line is cut in two.
    private static let longestPart = 1 << 16
    /// The bytes to collect before a write.
    private static let pieceLength = 1 << 16
    /// The widest label to which others are aligned.
    private static let widestAlignment = 32
    private static let newline = UInt8(ascii: "\n")

    private let marks: Marks
    private let isJSON: Bool
    /// Whether standard error goes to standard error.
    private let isStandardErrorApart: Bool
    /// Whether a last line without a newline is printed without one, unless something follows it.
    private let isVerbatim: Bool
    /// Whether the last line was printed without a newline.
    private var isLineOpen = false
    private let willWrite: () -> Void

    private var names: OperationNames
    private var parts: [OutputSource: [UInt8]] = [:]
    /// The last attempt that a line has announced, for each operation that is not forgotten.
    private var announced: [OperationID: UInt32] = [:]
    private var label: (operation: OperationID, text: String)?
    private var labelWidth = 0
    private var buffer: [UInt8] = []
    private var descriptor = STDOUT_FILENO

    /// - Parameters:
    ///   - isJSON: whether to print a document for each piece of output, without marks; invalid UTF-8 is replaced.
    ///   - isStandardErrorApart: whether standard error goes to standard error.
    ///   - isVerbatim: whether a last line without a newline is printed without one, unless something follows it.
    ///   - willWrite: called before each write, to clear what else is on the terminal.
    init(
        marks: Marks,
        isJSON: Bool,
        isStandardErrorApart: Bool = false,
        isVerbatim: Bool = false,
        names: OperationNames,
        willWrite: @escaping () -> Void = {}
    ) {
        self.marks = marks
        self.isJSON = isJSON
        self.isStandardErrorApart = isStandardErrorApart
        self.isVerbatim = isVerbatim
        self.names = names
        self.willWrite = willWrite
    }

    /// Prints the whole lines of a piece, and keeps the beginning of a line for the next piece of the same stream.
    mutating func add(_ bytes: [UInt8], of source: OutputSource, at offset: UInt64) async throws {
        guard !bytes.isEmpty else { return }
        if isJSON { return try add(document(of: bytes, source, offset), to: STDOUT_FILENO) }
        try await announce(source)
        let prefix = try await prefix(of: source)
        var rest = bytes[...]
        if var part = parts.removeValue(forKey: source) {
            let end = rest.firstIndex(of: Self.newline).map { $0 + 1 } ?? rest.endIndex
            part += rest[..<end]
            rest = rest[end...]
            if part.last == Self.newline || part.count > Self.longestPart {
                try addLine(prefix, part[...], of: source)
            } else {
                parts[source] = part
            }
        }
        while let end = rest.firstIndex(of: Self.newline) {
            try addLine(prefix, rest[...end], of: source)
            rest = rest[(end + 1)...]
        }
        guard !rest.isEmpty else { return }
        if rest.count > Self.longestPart {
            try addLine(prefix, rest, of: source)
        } else {
            parts[source] = Array(rest)
        }
    }

    /// Prints the last line of a stream that has ended without a newline.
    mutating func end(_ source: OutputSource) async throws {
        guard let part = parts.removeValue(forKey: source) else { return }
        if isVerbatim {
            try add(part, to: descriptor(of: source))
            isLineOpen = true
            return
        }
        try addLine(try await prefix(of: source), part[...], of: source)
    }

    /// Forgets what was announced about an operation that has ended.
    mutating func forget(_ operation: OperationID) { announced[operation] = nil }

    /// Writes everything that waits.
    mutating func flush() throws {
        guard !buffer.isEmpty else { return }
        willWrite()
        try Output.write(buffer, to: descriptor)
        buffer.removeAll(keepingCapacity: true)
    }

    private mutating func announce(_ source: OutputSource) async throws {
        guard marks.attempt, source.attempt > 1, announced[source.operation] != source.attempt else { return }
        announced[source.operation] = source.attempt
        let text = Array("--- attempt \(source.attempt) ---\n".utf8)
        try addLine(try await prefix(of: source), text[...], of: source)
    }

    private mutating func addLine(_ prefix: [UInt8], _ line: ArraySlice<UInt8>, of source: OutputSource) throws {
        let end = line.last == Self.newline ? [] : [Self.newline]
        try add(prefix + line + end, to: descriptor(of: source))
    }

    private func descriptor(of source: OutputSource) -> Int32 {
        isStandardErrorApart && source.stream == .standardError ? STDERR_FILENO : STDOUT_FILENO
    }

    private mutating func add(_ bytes: [UInt8], to descriptor: Int32) throws {
        if descriptor != self.descriptor {
            try flush()
            self.descriptor = descriptor
        }
        if isLineOpen {
            // The next attempt begins a line of its own.
            isLineOpen = false
            buffer.append(Self.newline)
        }
        buffer += bytes
        if buffer.count >= Self.pieceLength { try flush() }
    }

    private func document(of bytes: [UInt8], _ source: OutputSource, _ offset: UInt64) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        OutputSink.write(bytes, of: source, at: offset, to: &writer)
        writer.endObject()
        return writer.bytes + [Self.newline]
    }

    /// What stands in front of the lines of a stream: `12/3 (sepia) err | `.
    private mutating func prefix(of source: OutputSource) async throws -> [UInt8] {
        var text = ""
        if marks.operation {
            if label?.operation != source.operation {
                label = (source.operation, try await names.label(of: source.operation))
            }
            text = label?.text ?? ""
            let width = TextWidth.columns(of: text)
            labelWidth = max(labelWidth, min(width, Self.widestAlignment))
            text += String(repeating: " ", count: max(0, labelWidth - width))
        }
        if marks.stream { text += (text.isEmpty ? "" : " ") + (source.stream == .standardOutput ? "out" : "err") }
        return text.isEmpty ? [] : Array((text + " | ").utf8)
    }
}
