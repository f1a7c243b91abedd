@_spi(Baton) import BatonJSON
@_spi(Baton) public import BatonOperations

/// Reads a graph file with one operation per line (`.jsonl`), in pieces as the text arrives.
///
/// Each line is an object with an operation's keys. The first line may instead be a header, with `name`, `queue`, `key`,
/// `tags`, `queues` and `defaults` for the whole job. The reader skips empty lines and comments. An operation may depend on an
/// operation from a later line. Only the submission stays in memory; the reader drops the text.
@_spi(Baton) public struct GraphLinesReader {
    private var builder: GraphBuilder
    private var isFirst = true
    /// The offset up to which the received text was searched for the end of a line.
    private var searched = 0
    /// The number of bytes received, and the total number of bytes, if known.
    private var bytesRead = 0
    private let length: Int?

    /// Creates a reader.
    ///
    /// - Parameter length: the approximate number of bytes in the text, if known; the length saves memory and time.
    public init(options: GraphFileOptions, length: Int? = nil) {
        builder = GraphBuilder(options: options, partName: "line")
        self.length = length
    }

    /// Takes the next piece of the text, of any length; a line may continue in the next piece.
    ///
    /// - Throws: ``GraphFileError`` for an invalid line; the reader cannot be used afterwards.
    public mutating func read(_ piece: [UInt8]) throws(GraphFileError) {
        let isFirstPiece = bytesRead == 0
        bytesRead += piece.count
        builder.tree.bytes += piece
        while let end = builder.tree.bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
            try readLine(upTo: end)
            builder.line += 1
            builder.lineStart = end + 1
            searched = end + 1
        }
        builder.tree.bytes.removeSubrange(..<builder.lineStart)
        builder.lineStart = 0
        searched = builder.tree.bytes.count
        if isFirstPiece { makeRoom() }
    }

    /// The maximum number of operations for reserving space in advance: later lines may be longer, and the file may be sparse.
    private static let mostExpected = 4_000_000.0

    /// Reserves space for the expected number of operations, assuming that later lines are as long as the lines so far.
    private mutating func makeRoom() {
        guard let length, bytesRead < length else { return }
        let operations = Double(builder.count) * Double(length) / Double(bytesRead)
        builder.reserveCapacity(Int(min(operations, Self.mostExpected)))
    }

    /// Ends the text, and returns the submission.
    ///
    /// - Throws: ``GraphFileError`` for an error in the last line or in the whole submission.
    public mutating func finish() throws(GraphFileError) -> Submission {
        try readLine(upTo: builder.tree.bytes.count)
        guard !builder.isEmpty else {
            throw GraphFileError(
                file: builder.options.fileName,
                line: 1,
                column: 1,
                message: "the file has no operations, so there is nothing to run"
            )
        }
        return try builder.finish()
    }

    private mutating func readLine(upTo end: Int) throws(GraphFileError) {
        guard try builder.parse(builder.lineStart..<end) else { return }
        if isFirst, builder.isHeader {
            try builder.readHeader()
            builder.addToDefaults()
        } else {
            if isFirst { builder.addToDefaults() }
            try builder.readOperation(at: 0)
        }
        isFirst = false
    }
}

extension GraphBuilder {
    /// Whether the parsed line is the header: the line has a key that only a header may have, or no key that only an operation
    /// may have.
    fileprivate var isHeader: Bool {
        guard tree.nodes[0].kind == .object else { return false }
        var isHeader = true
        for member in tree.keys(of: 0) {
            guard let text = try? tree.text(of: member) else { return false }
            switch GraphKey(rawValue: text) {
            case .key, .tags, .maxFailures, .cancelRunning, .keepFiles, .filesLimit, .send, .hooks, .queues, .defaults,
                .operations:
                return true
            case .name, .queue, .deadline: break
            case nil: isHeader = false
            }
        }
        return isHeader
    }

    /// Reads the parsed line as the header.
    fileprivate mutating func readHeader() throws(GraphFileError) {
        for member in tree.keys(of: 0) where try readGraphMember(member) == .operations {
            throw error(
                "a file with one operation a line has no \"operations\"; put each of them on a line",
                at: member
            )
        }
        try readDefaultsOfGraph(at: 0)
    }
}
