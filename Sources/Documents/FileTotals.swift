/// The files that an operation left, in sums.
@_spi(Baton) public struct FileTotals: Document {
    /// The number of files.
    public var count: Int
    /// Their bytes together.
    public var bytes: Int64
    /// The fewest workers that keep one of them; absent in lists, and once nobody needs them any more.
    @IfPresent public var copies: Int?

    /// Describes files.
    public init(count: Int, bytes: Int64, copies: Int? = nil) {
        self.count = count
        self.bytes = bytes
        self.copies = copies
    }
}
