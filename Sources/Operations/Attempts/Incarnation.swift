/// The random number that a coordinator draws at its start.
///
/// Epochs repeat: a new record begins with the first epoch again, and an older copy of a record continues after its own last
/// epoch. No two starts share an incarnation, so that an attempt of one start is never taken for an attempt of another.
@_spi(Baton) public struct Incarnation: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number; 0 is never drawn.
    public let rawValue: UInt64

    /// Makes an incarnation out of its number.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The incarnation of a start for which the record has no number.
    public static let unknown = Incarnation(rawValue: 0)

    /// Draws an incarnation.
    public static func random(using generator: inout some RandomNumberGenerator) -> Incarnation {
        Incarnation(rawValue: .random(in: 1 ... .max, using: &generator))
    }

    /// Sixteen hexadecimal digits.
    public var description: String { HexDigits.text(rawValue) }

    /// Orders by the number, which is unrelated to time.
    public static func < (left: Incarnation, right: Incarnation) -> Bool { left.rawValue < right.rawValue }
}
