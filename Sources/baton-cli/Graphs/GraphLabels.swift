/// The names that a graph file gives to unnamed operations on which others depend.
///
/// Owns the names that such a name could meet, and the indices of the operations.
struct GraphLabels {
    private static let stem = "operation"

    private var taken: Set<String> = []
    private var needed: Set<UInt32> = []

    /// Notes a name of the job.
    mutating func take(_ name: String) {
        if name.hasPrefix(Self.stem) { taken.insert(name) }
    }

    /// Notes the index of an unnamed operation that needs a name.
    mutating func need(_ first: UInt32) { needed.insert(first) }

    /// The name for an unnamed operation; nil for an operation without dependents.
    func label(of first: UInt32) -> String? {
        guard needed.contains(first) else { return nil }
        var label = "\(Self.stem)\(first)"
        while taken.contains(label) { label += "_" }
        return label
    }
}
