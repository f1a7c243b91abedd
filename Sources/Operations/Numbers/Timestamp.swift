/// A moment, in microseconds since 1970-01-01 00:00 UTC.
@_spi(Baton) public struct Timestamp: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Microseconds since the start of 1970 in UTC.
    public let rawValue: Int64

    /// Makes a moment out of microseconds since the start of 1970 in UTC.
    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// The moments that a record and documents can hold: the years from 1 to 9999, which have four digits.
    public static let recordable =
        Timestamp(rawValue: -62_135_596_800_000_000)...Timestamp(rawValue: 253_402_300_799_999_999)

    /// The moment, or the nearest one that a record and documents can hold.
    public var nearestRecordable: Timestamp { min(max(self, Self.recordable.lowerBound), Self.recordable.upperBound) }

    /// The times of day that a coordinator takes from its host's clock: from 1970 on, because tables of keys count from
    /// then, to the last one that a record can hold.
    public static let ofHostClocks = Timestamp(rawValue: 0)...recordable.upperBound

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
    public var description: String { withDescription { String(decoding: $0, as: UTF8.self) } }

    /// The moment for people, in UTC: `2026-11-21 03:04:05 UTC`.
    public var text: String {
        withDigits { digits in
            writeCalendar(to: &digits, dayEnd: " ", end: " ")
            return String(decoding: digits.written, as: UTF8.self) + "UTC"
        }
    }

    /// Passes on the bytes of the description, which are valid during the call; documents are full of moments, and need no texts.
    public func withDescription<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        withDigits { digits in
            writeCalendar(to: &digits, dayEnd: "T", end: ".")
            digits.write(microsecondsOfDay % 1_000_000, width: 6, end: "Z")
            return body(digits.written)
        }
    }

    private func withDigits<Result>(_ body: (inout DigitWriter) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.greatestLength) { buffer in
            var digits = DigitWriter(buffer)
            return body(&digits)
        }
    }

    private func writeCalendar(to digits: inout DigitWriter, dayEnd: Unicode.Scalar, end: Unicode.Scalar) {
        let date = CivilDate(
            daysSince1970: rawValue.quotientAndFloorRemainder(dividingBy: Self.dayLength).quotient
        )
        let seconds = microsecondsOfDay / 1_000_000
        digits.write(date.year, width: 4, end: "-")
        digits.write(date.month, width: 2, end: "-")
        digits.write(date.day, width: 2, end: dayEnd)
        digits.write(seconds / 3600, width: 2, end: ":")
        digits.write(seconds / 60 % 60, width: 2, end: ":")
        digits.write(seconds % 60, width: 2, end: end)
    }

    private var microsecondsOfDay: Int64 { rawValue.quotientAndFloorRemainder(dividingBy: Self.dayLength).remainder }

    private static let dayLength: Int64 = 86_400_000_000
    /// More than the longest text takes: that of the earliest moment has 30 bytes.
    private static let greatestLength = 40
}
