/// What a cancellation did: `cancel`.
public struct CancelDocument: Document {
    /// How many operations it met unfinished; 0 says that it had no effect.
    public var cancelled: UInt32

    /// Describes what a cancellation did.
    public init(cancelled: UInt32) {
        self.cancelled = cancelled
    }

    /// Writes it.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("cancelled", cancelled)
        writer.endObject()
    }
}
