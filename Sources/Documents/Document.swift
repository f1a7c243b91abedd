@_spi(Baton) public import BatonJSON

/// A JSON document, or a part of a document, with a stable form for scripts.
///
/// A document contains all keys in a fixed order; null stands for a missing value. Any JSON decoder can read the document.
@_spi(Baton) public protocol Document: Decodable, Hashable, Sendable {
    /// Writes the document as the next value.
    func write(to writer: inout JSONWriter)

    /// The document for a reader who may not see what operations do and return.
    var withoutContent: Self { get }
}

@_spi(Baton) extension Document {
    /// The document's text in UTF-8, without a final newline.
    public var json: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }
}
