/// A position in a graph file; the type is small, because a million operations have a position each.
struct TextPosition {
    /// The number of the first line of the parsed text; 1 unless the file is read line by line.
    var firstLine: UInt32
    /// The number of bytes after the start of the line.
    var offset: UInt32
}
