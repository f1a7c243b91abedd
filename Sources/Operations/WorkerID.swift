/// The random number that a worker's directory was given when it was made: with it, a worker of a name is told from others of
/// the same name.
///
/// The lock of the directory lets one process have it at a time, so that whoever comes with a known one is the same worker,
/// and its earlier process has ended.
public struct WorkerID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number; 0 is never drawn.
    public let rawValue: UInt64

    /// Makes an identity out of its number.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// That of a worker of which the record does not say it.
    public static let unknown = WorkerID(rawValue: 0)

    /// Draws one.
    public static func random() -> WorkerID { WorkerID(rawValue: .random(in: 1 ... .max)) }

    /// Hexadecimal digits.
    public var description: String { String(rawValue, radix: 16) }
}
