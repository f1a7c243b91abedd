/// One line of `otlp`: spans that the receiver has taken.
@_spi(Baton) public struct ExportDocument: Document {
    /// The number of the last event whose spans have been posted: `otlp --since` goes on behind it.
    public var seq: UInt64
    /// The number of spans that the receiver has taken since the previous line.
    public var spans: Int
    /// The number of spans that the receiver has refused for good since the previous line.
    public var rejected: Int

    /// Describes a step of an export.
    public init(seq: UInt64, spans: Int, rejected: Int) {
        self.seq = seq
        self.spans = spans
        self.rejected = rejected
    }
}
