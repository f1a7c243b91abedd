/// The number of a job: one submission, numbered from 1.
@_spi(Baton) public struct JobNumber: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number itself; 0 is never given to a job.
    public let rawValue: UInt32

    /// Makes a job number out of its value.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Makes a job number out of its value.
    public init(_ rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The number in decimal, as users type it.
    public var description: String { String(rawValue) }

    /// Orders jobs by age.
    public static func < (left: JobNumber, right: JobNumber) -> Bool {
        left.rawValue < right.rawValue
    }
}
