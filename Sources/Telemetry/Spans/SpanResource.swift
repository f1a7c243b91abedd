@_spi(Baton) import BatonJSON

/// What the spans of a request come from: a cluster of Baton.
@_spi(Baton) public struct SpanResource: Hashable, Sendable {
    /// The version of the exporter.
    public var version: String
    /// The address of the coordinator, which tells clusters apart.
    public var coordinator: String

    /// Describes a cluster.
    public init(version: String, coordinator: String) {
        self.version = version
        self.coordinator = coordinator
    }

    /// The request with which OTLP exports spans, in JSON.
    ///
    /// - Complexity: O(bytes of the request).
    public func request(with spans: some Sequence<Span>) -> [UInt8] {
        let attributes = [
            SpanAttribute("service.name", "baton"), SpanAttribute("service.version", version),
            SpanAttribute("service.instance.id", coordinator),
        ]
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("resourceSpans", array: [attributes]) { attributes, writer in
            writer.beginObject()
            writer.key("resource")
            writer.beginObject()
            writer.member("attributes", array: attributes) { $0.write(to: &$1) }
            writer.endObject()
            writer.member("scopeSpans", array: [spans]) { spans, writer in
                writer.beginObject()
                writer.key("scope")
                writer.beginObject()
                writer.member("name", "baton")
                writer.member("version", version)
                writer.endObject()
                writer.member("spans", array: spans) { $0.write(to: &$1) }
                writer.endObject()
            }
            writer.endObject()
        }
        writer.endObject()
        return writer.bytes
    }
}
