/// The sizes of a record's files in bytes.
@_spi(Baton) public struct RecordSize: Hashable, Sendable {
    /// The size of the file with the tables.
    public var file: Int64
    /// The size of the write-ahead log; 0 without one.
    public var log: Int64
}
