/// How many operations of a queue may start in a time: `10/s`, `30/m` or `100/h`.
@_spi(Baton) public struct StartRate: Hashable, Sendable, CustomStringConvertible {
    /// The times for which numbers are given.
    public enum Unit: String, CaseIterable, Sendable {
        /// A second.
        case second = "s"
        /// A minute.
        case minute = "m"
        /// An hour.
        case hour = "h"

        /// The length of the time in seconds.
        public var seconds: Int64 {
            switch self {
            case .second: 1
            case .minute: 60
            case .hour: 3600
            }
        }

        /// The time in sentences, behind a number of operations: `a second`.
        public var noun: String {
            switch self {
            case .second: "a second"
            case .minute: "a minute"
            case .hour: "an hour"
            }
        }
    }

    /// The number of operations.
    public let number: Int64
    /// The time in which so many may start.
    public let unit: Unit

    /// The numbers that are allowed: with a larger one, starts would be less than a microsecond apart.
    public static let allowedNumbers: ClosedRange<Int64> = 1...1_000_000

    /// The forms of a rate, for the end of an error's sentence.
    public static let forms =
        "a rate such as 10/s, 30/m or 100/h, with a whole number from \(allowedNumbers.lowerBound) to \(allowedNumbers.upperBound)"

    /// Reads a rate as users type it; nil for a text of another form.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(parts[0]),
            Self.allowedNumbers.contains(number), let unit = Unit(rawValue: String(parts[1]))
        else { return nil }
        self.number = number
        self.unit = unit
    }

    /// The text that ``init(_:)`` reads.
    public var description: String { "\(number)/\(unit.rawValue)" }

    /// The microseconds between two starts, rounded up, so that no more start than the number.
    public var interval: Int64 { (unit.seconds * 1_000_000 + number - 1) / number }

    /// How many may start together after a while without starts: those of a tenth of a second, and at least one.
    public var burst: Int64 { max(1, number / (10 * unit.seconds)) }
}
