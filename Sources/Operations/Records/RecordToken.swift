/// An attempt's token without the incarnation, as kept in the attempt's own record.
///
/// The upper 24 bits are the coordinator's epoch, a number on disk that increases at each start; the lower 40 bits count the
/// attempts of the epoch. Within one record the epoch stands for the incarnation and takes less space.
@_spi(Baton) public struct RecordToken: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Epoch and serial in one number; 0 is never given to an attempt.
    public let rawValue: UInt64

    /// Makes a token out of its value.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Makes the token of an epoch's attempt.
    ///
    /// - Parameters:
    ///   - epoch: the coordinator's epoch, below 2^24.
    ///   - serial: the number of the attempt in its epoch, from 1, below 2^40.
    public init(epoch: UInt32, serial: UInt64) {
        self.rawValue = UInt64(epoch) << 40 | serial & (1 << 40 - 1)
    }

    /// The epoch in which the attempt was made.
    public var epoch: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 40) }

    /// The number of the attempt in its epoch.
    public var serial: UInt64 { rawValue & (1 << 40 - 1) }

    /// Epoch and serial, for logs: `3.1042`.
    public var description: String { DigitWriter.text(upTo: Self.greatestLength) { write(to: &$0) } }

    /// The most characters of the description.
    static let greatestLength = 22

    /// Writes the description.
    func write(to text: inout DigitWriter) {
        text.write(Int64(epoch), end: ".")
        text.write(Int64(serial))
    }

    /// Orders attempts by age.
    public static func < (left: RecordToken, right: RecordToken) -> Bool {
        left.rawValue < right.rawValue
    }
}
