import Synchronization

/// How much of a message is decoded, for other threads to see.
@_spi(Baton) public final class ReadingProgress: Sendable {
    private let read = Atomic<Int>(0)

    /// Starts at the first byte.
    public init() {}

    /// The number of decoded bytes; while templates and entries are read, behind by at most one of them.
    public var bytes: Int { read.load(ordering: .relaxed) }

    /// Notes the number of decoded bytes.
    public func note(_ bytes: Int) { read.store(bytes, ordering: .relaxed) }
}
