/// A JSON document, or a part of one, that scripts rely on.
///
/// It is written with all its keys, in an order that does not change, null where there is nothing to say; and it can be
/// read back with any decoder of JSON.
public protocol Document: Decodable, Hashable, Sendable {
    /// Writes the document as the next value.
    func write(to writer: inout JSONWriter)
}

extension Document {
    /// The document's text in UTF-8, without a line's end.
    public var json: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }
}
