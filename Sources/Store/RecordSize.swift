/// The sizes of a record's files in bytes.
@_spi(Baton) public struct RecordSize: Hashable, Sendable {
    /// The size of the file with the tables.
    public var file: Int64
    /// The size of the write-ahead log; 0 without one.
    public var log: Int64
    /// The free bytes of the file system of the record, as far as this user may fill it; nil if the system does not tell.
    public var free: Int64?
    /// All bytes of the file system of the record; nil if the system does not tell.
    public var disk: Int64?
}
