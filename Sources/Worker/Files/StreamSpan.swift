/// Which part of a stream its file still has.
struct StreamSpan: Hashable, Sendable {
    /// Where the file's first byte belongs in the stream: above zero where the file was cut.
    var base: UInt64 = 0
    /// Where in the stream that is kept begins; what lies before it in the file is a hole.
    var start: UInt64 = 0
}
