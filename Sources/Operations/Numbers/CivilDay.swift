/// A day of the Gregorian calendar.
@_spi(Baton) public struct CivilDay: Hashable, Sendable {
    /// The number of days since 1970-01-01; negative before it.
    public let daysSince1970: Int64

    /// Finds the day of a date; nil for a date that does not exist.
    public init?(year: Int64, month: Int64, day: Int64) {
        guard (1...12).contains(month), day >= 1 else { return nil }
        let first = CivilDate(year: year, month: month, day: 1).daysSince1970
        let (nextYear, nextMonth) = month == 12 ? (year + 1, 1) : (year, month + 1)
        guard day <= CivilDate(year: nextYear, month: nextMonth, day: 1).daysSince1970 - first else { return nil }
        daysSince1970 = first + day - 1
    }
}
