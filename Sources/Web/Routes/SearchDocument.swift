@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonJSON

/// What a search has found.
struct SearchDocument: Document {
    /// The results, by kind.
    var results: [SearchResult]
    /// Whether there are more results, or may be.
    var more: Bool

    /// Writes the results.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("results", array: results) { result, writer in result.write(to: &writer) }
        writer.member("more", more)
        writer.endObject()
    }
}
