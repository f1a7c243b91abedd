@_spi(Baton) public import BatonJSON
@_spi(Baton) public import BatonOperations

/// A span of OpenTelemetry: a job, an attempt of an operation, an operation that was finished without an attempt, or the fetch of files.
@_spi(Baton) public struct Span: Hashable, Sendable {
    /// The kinds of spans that Baton has; the raw values are those of OTLP.
    public enum Kind: Int, Sendable {
        /// What happens for an attempt within the cluster.
        case `internal` = 1
        /// A job, which another program has asked for.
        case server = 2
        /// An attempt, which a worker has taken from a queue.
        case consumer = 5
    }

    /// The most links of a span, as in OpenTelemetry's own libraries; further ones are counted.
    public static let mostLinks = 128

    /// The trace, and the identity of the span in it.
    public var context: TraceContext
    /// The span that contains this one; nil for none.
    public var parent: SpanID?
    /// The name, one for all similar spans.
    public var name: String
    /// The kind.
    public var kind: Kind
    /// When the span began.
    public var startedAt: Timestamp
    /// When the span ended.
    public var endedAt: Timestamp
    /// What is known about the span, in order.
    public var attributes: [SpanAttribute]
    /// The spans of the same trace that had to end first.
    public var links: [SpanID] = []
    /// The number of links that were left out.
    public var droppedLinks = 0
    /// What went wrong, in a sentence; nil unless something did.
    public var failure: String?

    /// Writes the span in the JSON form of OTLP.
    public func write(to writer: inout JSONWriter) {
        let trace = context.trace.description
        writer.beginObject()
        writer.member("traceId", trace)
        writer.member("spanId", description: context.span)
        if let parent { writer.member("parentSpanId", description: parent) }
        writer.member("name", name)
        writer.member("kind", kind.rawValue)
        writer.member("startTimeUnixNano", Self.nanoseconds(startedAt))
        writer.member("endTimeUnixNano", Self.nanoseconds(max(startedAt, endedAt)))
        writer.member("attributes", array: attributes) { $0.write(to: &$1) }
        if !links.isEmpty {
            writer.member("links", array: links) { link, writer in
                writer.beginObject()
                writer.member("traceId", trace)
                writer.member("spanId", description: link)
                writer.endObject()
            }
        }
        if droppedLinks > 0 { writer.member("droppedLinksCount", droppedLinks) }
        if let failure {
            writer.key("status")
            writer.beginObject()
            writer.member("code", 2)
            writer.member("message", failure)
            writer.endObject()
        }
        writer.endObject()
    }

    /// Nanoseconds since 1970 as a text: 64-bit numbers are texts in the JSON of OTLP.
    private static func nanoseconds(_ moment: Timestamp) -> String {
        let (nanoseconds, overflow) = UInt64(max(0, moment.rawValue)).multipliedReportingOverflow(by: 1000)
        return String(overflow ? .max : nanoseconds)
    }
}

/// A named value of a span or of what the spans come from.
@_spi(Baton) public struct SpanAttribute: Hashable, Sendable {
    /// The types of values that Baton has.
    public enum Value: Hashable, Sendable {
        case text(String)
        case number(Int64)
    }

    /// The name, such as `cicd.pipeline.name`.
    public var key: String
    /// The value.
    public var value: Value

    /// Names a text.
    public init(_ key: String, _ text: String) {
        self.key = key
        value = .text(text)
    }

    /// Names a number.
    public init(_ key: String, _ number: some FixedWidthInteger) {
        self.key = key
        value = .number(Int64(clamping: number))
    }

    /// Writes the attribute in the JSON form of OTLP.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("key", key)
        writer.key("value")
        writer.beginObject()
        switch value {
        case .text(let text): writer.member("stringValue", text)
        case .number(let number): writer.member("intValue", String(number))
        }
        writer.endObject()
        writer.endObject()
    }
}
