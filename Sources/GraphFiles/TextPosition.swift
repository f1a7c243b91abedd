/// A place in a graph file, kept small: a million operations have one each.
struct TextPosition {
    /// The number of the line that the text being parsed starts with; 1 unless lines are read one by one.
    var firstLine: UInt32
    /// How many bytes after the start of that line.
    var offset: UInt32
}
