/// The random number given to a worker's directory at its creation, which distinguishes workers of the same name.
///
/// The lock of the directory admits one process at a time. A worker with a known number is therefore the same worker, and its
/// earlier process has ended.
@_spi(Baton) public struct WorkerID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number; 0 is never drawn.
    public let rawValue: UInt64

    /// Makes an identity out of its number.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The identity of a worker for which the record has no number.
    public static let unknown = WorkerID(rawValue: 0)

    /// Draws an identity.
    public static func random() -> WorkerID { WorkerID(rawValue: .random(in: 1 ... .max)) }

    /// Hexadecimal digits.
    public var description: String { String(rawValue, radix: 16) }
}
