@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

extension JobGraphDocument {
    /// The nodes whose operations were not needed: an edge to them names no failure.
    var notNeeded: Set<OperationID> { Set(nodes.lazy.filter { $0.notNeeded == true }.map(\.id)) }
}

/// What a node of a drawing says.
extension JobGraphDocument.Node {
    /// What the node is called, without control characters.
    func title(in level: JobGraphDocument.Level) -> String {
        name?.asShown ?? (level == .groups && size > 1 ? "without name" : id.description)
    }

    /// The state in a word, with the number of operations in a group, or with the address where the title is a name.
    func subtitle(in level: JobGraphDocument.Level) -> String {
        guard level == .groups, size > 1 else { return name == nil ? word : "\(word) · \(id)" }
        let done = counts?.finished ?? size
        return done < size ? "\(word) · \(done) of \(size)" : "\(word) · \(size)"
    }

    /// The outcome, or the state of what is not finished, in a word.
    var word: String {
        if notNeeded == true { return "not needed" }
        return counts?.skipped == size ? "skipped" : outcome?.description ?? state.description
    }
}
