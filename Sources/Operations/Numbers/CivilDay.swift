/// A day of the Gregorian calendar.
@_spi(Baton) public struct CivilDay: Hashable, Sendable {
    /// The number of days since 1970-01-01; negative before it.
    public let daysSince1970: Int64

    /// Finds the day of a date; nil for a date that does not exist.
    public init?(year: Int64, month: Int64, day: Int64) {
        guard (1...12).contains(month), day >= 1 else { return nil }
        let first = Self.firstDay(ofMonth: month, year: year)
        let next =
            month == 12 ? Self.firstDay(ofMonth: 1, year: year + 1) : Self.firstDay(ofMonth: month + 1, year: year)
        guard day <= next - first else { return nil }
        daysSince1970 = first + day - 1
    }

    /// The number of days from 1970-01-01 to the first day of a month; years start in March, so that the leap day comes last.
    private static func firstDay(ofMonth month: Int64, year: Int64) -> Int64 {
        let marchYear = month <= 2 ? year - 1 : year
        let marchMonth = (month + 9) % 12
        let leapDays = floored(marchYear, by: 4) - floored(marchYear, by: 100) + floored(marchYear, by: 400)
        return marchYear * 365 + leapDays + (153 * marchMonth + 2) / 5 + 1 - 719_469
    }

    private static func floored(_ number: Int64, by divisor: Int64) -> Int64 {
        number >= 0 ? number / divisor : -((divisor - 1 - number) / divisor)
    }
}
