@_spi(Baton) extension Refusal {
    /// The most names of a path in a sentence.
    private static let mostNames = 12

    /// Returns a path for a sentence: `a -> b -> a`; a long path keeps its beginning, its end and the number of names between.
    public static func text(ofPath path: [String]) -> String {
        let path = path.map(\.asShown)
        guard path.count > mostNames else { return path.joined(separator: " -> ") }
        let (first, last) = (path.prefix(mostNames / 2), path.suffix(mostNames / 2))
        let between = "... (\(path.count - first.count - last.count) more) ..."
        return (first + [between] + last).joined(separator: " -> ")
    }
}
