/// The random number that a coordinator drew when it was started.
///
/// Epochs repeat: a new record begins with the first again, and so does an older copy of a record with the one after its
/// last. No two starts have one incarnation, and so an attempt of one is never taken for that of another.
public struct Incarnation: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number; 0 is never drawn.
    public let rawValue: UInt64

    /// Makes an incarnation out of its number.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// That of a start of which the record does not say it.
    public static let unknown = Incarnation(rawValue: 0)

    /// Draws one.
    public static func random(using generator: inout some RandomNumberGenerator) -> Incarnation {
        Incarnation(rawValue: .random(in: 1 ... .max, using: &generator))
    }

    /// Sixteen hexadecimal digits.
    public var description: String {
        let digits = String(rawValue, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Orders by the number, which says nothing of the time.
    public static func < (left: Incarnation, right: Incarnation) -> Bool { left.rawValue < right.rawValue }
}
