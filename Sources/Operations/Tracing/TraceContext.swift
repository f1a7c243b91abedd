/// The identities of a trace and of one of its spans, as in the header `traceparent` of W3C Trace Context.
@_spi(Baton) public struct TraceContext: Hashable, Sendable, CustomStringConvertible {
    /// The environment variable from which `submit` takes a job's parent, and in which commands find the span of their attempt.
    public static let variable = "TRACEPARENT"
    /// The environment variable with the `tracestate` of W3C Trace Context.
    public static let stateVariable = "TRACESTATE"
    /// The variable, in the environment of a work, with the parent of the work's job; its worker puts ``variable`` in its place.
    ///
    /// A variable travels and stays with the work at no cost for works without it.
    public static let parentVariable = "BATON_TRACEPARENT"

    /// The trace.
    public let trace: TraceID
    /// The span, the parent of what gets the context.
    public let span: SpanID

    /// Makes a context.
    public init(trace: TraceID, span: SpanID) {
        self.trace = trace
        self.span = span
    }

    /// Reads a `traceparent`: version, trace, span and flags in hexadecimal digits; nil for a text that W3C Trace Context calls invalid.
    ///
    /// The flags have no effect: all jobs are recorded. A later version may have more parts, which are left out.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        // 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
        guard bytes.count >= 55, [2, 35, 52].allSatisfy({ bytes[$0] == UInt8(ascii: "-") }),
            let version = HexDigits.number(bytes[0..<2]), version != 0xFF,
            let high = HexDigits.number(bytes[3..<19]), let low = HexDigits.number(bytes[19..<35]),
            let span = HexDigits.number(bytes[36..<52]), HexDigits.number(bytes[53..<55]) != nil,
            let trace = TraceID(high: high, low: low), let span = SpanID(rawValue: span)
        else { return nil }
        guard bytes.count == 55 || version > 0 && bytes[55] == UInt8(ascii: "-") else { return nil }
        self.init(trace: trace, span: span)
    }

    /// The `traceparent` of the context, in version 00 and with the flag of a recorded span.
    public var description: String {
        DigitWriter.text(upTo: 55) { text in
            text.write(0, width: 2, end: "-")
            text.write(hexadecimal: trace.high)
            text.write(hexadecimal: trace.low, end: "-")
            text.write(hexadecimal: span.rawValue, end: "-")
            text.write(1, width: 2)
        }
    }
}
