/// A moment, in microseconds since 1970-01-01 00:00 UTC.
@_spi(Baton) public struct Timestamp: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Microseconds since the start of 1970 in UTC.
    public let rawValue: Int64

    /// Makes a moment out of microseconds since the start of 1970 in UTC.
    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// The moment a duration later; saturates at the ends of the range.
    public static func + (left: Timestamp, right: Duration) -> Timestamp {
        let (sum, overflow) = left.rawValue.addingReportingOverflow(right.microseconds)
        return Timestamp(rawValue: overflow ? (right < .zero ? .min : .max) : sum)
    }

    /// The moment so many microseconds earlier; negative numbers count as 0, and the result saturates at the range's beginning.
    public func before(microseconds: Int64) -> Timestamp {
        let (difference, overflow) = rawValue.subtractingReportingOverflow(max(0, microseconds))
        return Timestamp(rawValue: overflow ? .min : difference)
    }

    /// The time from the right moment to the left one; saturates at the ends of the range of microseconds.
    public static func - (left: Timestamp, right: Timestamp) -> Duration {
        let (difference, overflow) = left.rawValue.subtractingReportingOverflow(right.rawValue)
        return .microseconds(overflow ? (left < right ? .min : .max) : difference)
    }

    /// Orders moments by time.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The moment in ISO 8601, in UTC with six decimals: `2026-11-21T03:04:05.000678Z`.
    public var description: String {
        Self.text(calendar(dayEnd: "T", end: ".") + [(microsecondsOfDay % 1_000_000, 6, "Z")])
    }

    /// The moment for people, in UTC: `2026-11-21 03:04:05 UTC`.
    public var text: String { Self.text(calendar(dayEnd: " ", end: " ")) + "UTC" }

    /// A number with its least number of digits, and the character behind it.
    private typealias Part = (number: Int64, width: Int, end: Unicode.Scalar)

    private func calendar(dayEnd: Unicode.Scalar, end: Unicode.Scalar) -> [Part] {
        let (year, month, day) = Self.civilDate(
            daysSince1970: rawValue.quotientAndFloorRemainder(dividingBy: Self.dayLength).quotient
        )
        let seconds = microsecondsOfDay / 1_000_000
        return [
            (year, 4, "-"), (month, 2, "-"), (day, 2, dayEnd),
            (seconds / 3600, 2, ":"), (seconds / 60 % 60, 2, ":"), (seconds % 60, 2, end),
        ]
    }

    private var microsecondsOfDay: Int64 { rawValue.quotientAndFloorRemainder(dividingBy: Self.dayLength).remainder }

    private static let dayLength: Int64 = 86_400_000_000

    /// Documents are full of moments: digits in an array take a tenth of what texts of the parts take.
    private static func text(_ parts: [Part]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(32)
        for (number, width, end) in parts {
            if number < 0 { text.append(UInt8(ascii: "-")) }
            var scale: UInt64 = 1
            for _ in 1..<width { scale *= 10 }
            while number.magnitude / scale >= 10 { scale *= 10 }
            while scale > 0 {
                text.append(UInt8(ascii: "0") + UInt8(number.magnitude / scale % 10))
                scale /= 10
            }
            text.append(UInt8(ascii: end))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The Gregorian date of a day, computed in years that start in March so that the leap day comes last.
    private static func civilDate(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = (days + 719_468).quotientAndFloorRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}

extension Int64 {
    /// Division that rounds down, so that moments before 1970 have a date too.
    fileprivate func quotientAndFloorRemainder(dividingBy divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
