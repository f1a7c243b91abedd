/// Lines of a word and what it stands for, aligned: `state:   finished`.
struct KeyValueLines {
    private var pairs: [(key: String, value: String)] = []

    /// Adds a line; nothing where there is no value.
    mutating func append(_ key: String, _ value: String?) {
        guard let value else { return }
        // What somebody else has written must not move the cursor or look like another line.
        let clean = value.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : Character($0) }
        pairs.append((key, String(clean)))
    }

    /// The lines, joined with newlines, without one at the end.
    var text: String {
        let width = pairs.map(\.key.count).max() ?? 0
        return pairs.map { pair in
            pair.key + ":" + String(repeating: " ", count: width - pair.key.count + 1) + pair.value
        }.joined(separator: "\n")
    }
}
