/// The files that an operation left, in sums.
@_spi(Baton) public struct FileTotals: Document {
    /// The number of files.
    public var count: Int
    /// Their bytes together.
    public var bytes: Int64

    /// Describes files.
    public init(count: Int, bytes: Int64) {
        self.count = count
        self.bytes = bytes
    }
}
