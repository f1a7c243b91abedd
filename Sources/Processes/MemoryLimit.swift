/// A limit of the memory that the processes of one or more launches use together.
@_spi(Baton) public struct MemoryLimit: Sendable, Hashable {
    /// The number of the limit; launches of the same number share one limit.
    public var number: UInt64
    /// The most bytes of memory.
    public var bytes: Int64

    /// Describes a limit.
    ///
    /// - Parameters:
    ///   - number: a number that no other limit has as long as launches with this limit have not ended.
    ///   - bytes: the most bytes of memory, above 0.
    public init(number: UInt64, bytes: Int64) {
        self.number = number
        self.bytes = bytes
    }
}
