/// What the worker of an attempt fetched before it started the attempt.
@_spi(Baton) public struct FetchRecord: Hashable, Sendable {
    /// When the attempt was sent to the worker, which lacked the files.
    public var sentAt: Timestamp
    /// When the last of the files was there.
    public var arrivedAt: Timestamp
    /// The number of different contents.
    public var files: UInt32
    /// The bytes of the contents.
    public var bytes: Int64

    /// Describes what was fetched.
    public init(sentAt: Timestamp, arrivedAt: Timestamp, files: UInt32, bytes: Int64) {
        self.sentAt = sentAt
        self.arrivedAt = arrivedAt
        self.files = files
        self.bytes = bytes
    }
}
