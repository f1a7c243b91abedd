/// How many files operations left, and how long they are together.
@_spi(Baton) public struct FilesSize: Hashable, Sendable {
    /// The number of files.
    public var count: Int
    /// Their bytes.
    public var bytes: Int64

    /// Describes files; by default none.
    public init(count: Int = 0, bytes: Int64 = 0) {
        self.count = count
        self.bytes = bytes
    }
}
