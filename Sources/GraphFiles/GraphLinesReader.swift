public import BatonOperations

/// Reads a graph that comes as one operation a line (`.jsonl`), piece by piece as it arrives.
///
/// Each line is an object with an operation's keys. The first one may instead be a header, with `name`, `queue`, `key`,
/// `queues` and `defaults` for the whole. Empty lines and comments are skipped. An operation may depend on one of a later
/// line. Only the submission is kept in memory, not the text.
public struct GraphLinesReader {
    private var builder: GraphBuilder
    private var isFirst = true
    /// Up to where the text that has come was searched for a line's end.
    private var searched = 0
    /// How many bytes have come, and how many there are in all, where that is known.
    private var bytesRead = 0
    private let length: Int?

    /// Starts reading.
    ///
    /// - Parameter length: about how many bytes the text has, where that is known; it saves memory and time.
    public init(options: GraphFileOptions, length: Int? = nil) {
        builder = GraphBuilder(options: options, partName: "line")
        self.length = length
    }

    /// Takes the next piece of the text, of any length; a line may go on in the next piece.
    ///
    /// - Throws: ``GraphFileError`` for a line that is not accepted. The reader is of no use then.
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

    /// How many operations space is got for in advance at most: later lines may be longer, and the file sparse.
    private static let mostExpected = 4_000_000.0

    /// Gets the space for as many operations as there will be if all lines are as long as those that have come.
    private mutating func makeRoom() {
        guard let length, bytesRead < length else { return }
        let operations = Double(builder.count) * Double(length) / Double(bytesRead)
        builder.reserveCapacity(Int(min(operations, Self.mostExpected)))
    }

    /// Ends the text, and gives what it says.
    ///
    /// - Throws: ``GraphFileError`` for what is not accepted in the last line or in the whole.
    public mutating func finish() throws(GraphFileError) -> Submission {
        try readLine(upTo: builder.tree.bytes.count)
        guard !builder.isEmpty else {
            throw GraphFileError(
                file: builder.options.fileName,
                line: 1,
                column: 1,
                sentence: "the file has no operations, so there is nothing to run"
            )
        }
        return try builder.finish()
    }

    private mutating func readLine(upTo end: Int) throws(GraphFileError) {
        guard try builder.parse(builder.lineStart..<end) else { return }
        if isFirst, builder.isHeader {
            try builder.readHeader()
        } else {
            try builder.readOperation(at: 0)
        }
        isFirst = false
    }
}

extension GraphBuilder {
    /// Whether the line just parsed speaks of the job as a whole: it has a key that no operation has, or none that only an
    /// operation has.
    fileprivate var isHeader: Bool {
        guard tree.nodes[0].kind == .object else { return false }
        var isHeader = true
        for member in tree.keys(of: 0) {
            guard let text = try? tree.text(of: member) else { return false }
            switch GraphKey(rawValue: text) {
            case .key, .queues, .defaults, .operations: return true
            case .name, .queue: break
            case nil: isHeader = false
            }
        }
        return isHeader
    }

    /// Reads the line just parsed as one that speaks of the job as a whole.
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
