@_spi(Baton) import BatonDocuments

/// What a search has found.
struct SearchDocument: Document {
    /// The results, by kind.
    var results: [SearchResult]
    /// Whether there are more results, or may be.
    var more: Bool
}
