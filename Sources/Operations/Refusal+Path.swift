extension Refusal {
    /// The most names of a path that a sentence has.
    private static let mostNames = 12

    /// A path as a sentence has it: `a -> b -> a`, of a long one the beginning, the end, and how much lies between.
    public static func text(ofPath path: [String]) -> String {
        let path = path.map(\.asShown)
        guard path.count > mostNames else { return path.joined(separator: " -> ") }
        let (first, last) = (path.prefix(mostNames / 2), path.suffix(mostNames / 2))
        let between = "... (\(path.count - first.count - last.count) more) ..."
        return (first + [between] + last).joined(separator: " -> ")
    }
}
