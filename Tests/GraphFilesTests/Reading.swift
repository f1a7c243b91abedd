@_spi(Baton) import BatonGraphFiles
@_spi(Baton) import BatonOperations

/// Options as from the command line, with a file of two lines.
let options = GraphFileOptions(fileName: "graph.json", directory: "/home/me") { path throws(Refusal) in
    guard path == "items.txt" else { throw Refusal(.notFound, "No file is at \(path).") }
    return ["one", "two"]
}

/// Reads a graph in one piece.
func read(_ text: String) throws(GraphFileError) -> Submission {
    try GraphFile.submission(from: Array(text.utf8), options: options)
}

/// Reads a graph of one operation a line, in pieces of a size.
func readLines(_ text: String, pieces size: Int = 1 << 16) throws(GraphFileError) -> Submission {
    var reader = GraphLinesReader(options: options)
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: size) {
        try reader.read(Array(bytes[start..<min(start + size, bytes.count)]))
    }
    return try reader.finish()
}

/// The complete error message for a graph; nil for a valid graph.
func message(_ text: String) -> String? {
    do {
        _ = try read(text)
        return nil
    } catch {
        return error.description
    }
}

/// The error message for a graph of one operation a line; nil for a valid graph.
func linesMessage(_ text: String, pieces size: Int = 1 << 16) -> String? {
    do {
        _ = try readLines(text, pieces: size)
        return nil
    } catch {
        return error.description
    }
}
