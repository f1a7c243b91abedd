/// The name of one life of a worker, from the start of its process to its end.
///
/// The upper 24 bits are a number given to the worker's directory at its creation, the next 24 bits count the starts in the
/// directory, and the lower 16 bits are random for each start. The lives of one directory are therefore ordered, so that a
/// delayed hello is distinguished from the hellos of a later life. The name does not repeat, even if a directory is restored to
/// an earlier state. Host, name and process id may all repeat: those of a container always do.
@_spi(Baton) public struct WorkerLife: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// Directory, start and the random part in one number.
    public let rawValue: UInt64

    /// The number of directories, and of starts in one directory, with distinct names.
    public static let limit: UInt32 = 1 << 24

    /// Makes a life's name out of its number.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Makes the name of a life.
    ///
    /// - Parameters:
    ///   - directory: the number of the worker's directory, below ``limit``.
    ///   - start: the number of the start in the directory, below ``limit``.
    ///   - random: a random number for this life.
    public init(directory: UInt32, start: UInt32, random: UInt16) {
        rawValue = UInt64(directory) << 40 | UInt64(start & (Self.limit - 1)) << 16 | UInt64(random)
    }

    /// The number of the worker's directory.
    public var directory: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 40) }

    /// The number of the start in the directory.
    public var start: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 16) & (Self.limit - 1) }

    /// Whether this life began before another life of the same directory; lives of different directories have no order.
    public func isEarlier(than other: WorkerLife) -> Bool {
        directory == other.directory && start < other.start
    }

    /// Directory and start, for logs: `9173.12`.
    public var description: String { "\(directory).\(start)" }
}
