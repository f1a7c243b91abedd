/// The part of a stream that its file still has.
struct StreamSpan: Hashable, Sendable {
    /// The stream offset of the file's first byte, above zero if the file was cut.
    var base: UInt64 = 0
    /// The stream offset of the first kept byte; the file has a hole before it.
    var start: UInt64 = 0
}
