/// Aligned lines with a key and a value each: `state:   finished`.
struct KeyValueLines {
    private var pairs: [(key: String, value: String)] = []

    /// Adds a line; a missing value adds no line.
    mutating func append(_ key: String, _ value: String?) {
        guard let value else { return }
        pairs.append((key, value.printable))
    }

    /// The lines, joined with newlines, without a final newline.
    var text: String {
        let width = pairs.map(\.key.count).max() ?? 0
        return pairs.map { pair in
            pair.key + ":" + String(repeating: " ", count: width - pair.key.count + 1) + pair.value
        }.joined(separator: "\n")
    }
}
