/// The name of one life of a worker, from the start of its process to its end.
///
/// The upper 24 bits are a number that the worker's directory was given when it was made, the next 24 count the starts in
/// that directory, and the lower 16 are made up at each start. So the lives of one directory have an order, by which a
/// hello that was held up is told from those of a later life; and the name does not repeat, even where a directory was put
/// back to an earlier state. Host, name and process id may all come again: a container's always do.
public struct WorkerLife: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// Directory, start and the random part in one number.
    public let rawValue: UInt64

    /// How many directories, and how many starts in one of them, have names of their own.
    public static let limit: UInt32 = 1 << 24

    /// Takes a life's name from its number.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Makes the name of a life.
    ///
    /// - Parameters:
    ///   - directory: the number of the worker's directory, below ``limit``.
    ///   - start: which start of that directory it is, below ``limit``.
    ///   - random: a number that was made up for it.
    public init(directory: UInt32, start: UInt32, random: UInt16) {
        rawValue = UInt64(directory) << 40 | UInt64(start & (Self.limit - 1)) << 16 | UInt64(random)
    }

    /// The number of the worker's directory.
    public var directory: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 40) }

    /// Which start of that directory it is.
    public var start: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 16) & (Self.limit - 1) }

    /// Whether it began before another life of the same directory: those of different directories have no order.
    public func isEarlier(than other: WorkerLife) -> Bool {
        directory == other.directory && start < other.start
    }

    /// Directory and start, for logs: `9173.12`.
    public var description: String { "\(directory).\(start)" }
}
