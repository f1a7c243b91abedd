@_spi(Baton) import BatonGraphFiles
@_spi(Baton) import BatonOperations

/// Graph files read by the command line; `-` stands for standard input.
enum GraphInput {
    /// The submission in a graph file.
    ///
    /// - Parameters:
    ///   - additions: what the command line adds to the file.
    ///   - present: the moment from which times of day and dates are counted; nil refuses them.
    ///   - sendsFiles: whether the caller sends the files that the graph names.
    /// - Throws: ``CommandFailure`` for a file that cannot be read, `GraphFileError` for an invalid graph.
    static func submission(
        in file: String,
        adding additions: GraphFileAdditions = GraphFileAdditions(),
        at present: PresentTime? = .here,
        sendsFiles: Bool = false
    ) throws -> Submission {
        let options = GraphFileOptions(
            fileName: name(of: file),
            directory: try Surroundings.currentDirectory(),
            additions: additions,
            present: present,
            sendsFiles: sendsFiles,
            readLines: { (path) throws(Refusal) in
                do throws(CommandFailure) {
                    return try InputFile.lines(of: path)
                } catch {
                    throw Refusal(.invalid, error.message)
                }
            }
        )
        if file == "-" {
            let text = try InputFile.bytes(of: file)
            guard isOneOperationALine(text) else {
                return try GraphFile.submission(from: text, options: options)
            }
            var reader = GraphLinesReader(options: options)
            try reader.read(text)
            return try reader.finish()
        }
        guard file.hasSuffix(".jsonl") else {
            return try GraphFile.submission(from: InputFile.bytes(of: file), options: options)
        }
        var reader = GraphLinesReader(options: options, length: InputFile.length(of: file))
        try InputFile.forEachPiece(of: file) { (piece) throws(CommandFailure) in
            do throws(GraphFileError) {
                try reader.read(piece)
            } catch {
                throw CommandFailure(error.refusal)
            }
        }
        return try reader.finish()
    }

    /// The name of a file in messages.
    static func name(of file: String) -> String { file == "-" ? "standard input" : file }

    /// Whether a text on standard input has one operation per line, because no file name tells the form.
    ///
    /// The first line must be an object from `{` to `}`, and either be followed by further text or not contain the word
    /// `operations`.
    static func isOneOperationALine(_ text: [UInt8]) -> Bool {
        let lines = text.split(separator: UInt8(ascii: "\n"), maxSplits: 1).map { line in
            String(decoding: line, as: UTF8.self).trimmingSpaces
        }
        guard let first = lines.first, first.hasPrefix("{"), first.hasSuffix("}") else { return false }
        return !first.contains("operations") || (lines.count > 1 && !lines[1].isEmpty)
    }
}

extension String {
    /// The text without white space at its ends.
    fileprivate var trimmingSpaces: String {
        let start = drop(while: \.isWhitespace)
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...last])
    }
}
