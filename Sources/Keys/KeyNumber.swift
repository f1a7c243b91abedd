/// The number of an authorized key, from 1, which no other key of the same table ever gets.
///
/// The number in decimal digits is part of the user id of the key's connections.
@_spi(Baton) public struct KeyNumber: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number.
    public let rawValue: UInt32

    /// Makes a key's number out of a number.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Reads 1 to 10 decimal digits, without a sign or a leading zero; nil for any other text.
    public init?(_ text: some StringProtocol) {
        guard let first = text.utf8.first, (0x31...0x39).contains(first),
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt32(text)
        else { return nil }
        rawValue = number
    }

    /// Decimal digits.
    public var description: String { "\(rawValue)" }

    /// Orders keys by the order of their authorization.
    public static func < (left: KeyNumber, right: KeyNumber) -> Bool { left.rawValue < right.rawValue }
}
