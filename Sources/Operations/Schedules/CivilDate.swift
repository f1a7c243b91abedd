/// A date of the Gregorian calendar, without a time zone.
@_spi(Baton) public struct CivilDate: Hashable, Sendable {
    /// The year.
    public var year: Int64
    /// The month, from 1.
    public var month: Int64
    /// The day of the month, from 1.
    public var day: Int64

    /// The days of 400 years, after which the calendar repeats.
    private static let daysOfEra: Int64 = 146_097
    /// The days from the first of March of the year 0 to the start of 1970.
    private static let daysBefore1970: Int64 = 719_468

    /// Names a date.
    public init(year: Int64, month: Int64, day: Int64) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The date of a day, computed in years that start in March so that the leap day comes last.
    public init(daysSince1970 days: Int64) {
        let (era, dayOfEra) = (days + Self.daysBefore1970).quotientAndFloorRemainder(dividingBy: Self.daysOfEra)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    }

    /// The days from the start of 1970 to the date.
    public var daysSince1970: Int64 {
        let (era, yearOfEra) = (month <= 2 ? year - 1 : year).quotientAndFloorRemainder(dividingBy: 400)
        let shiftedMonth = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * shiftedMonth + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * Self.daysOfEra + dayOfEra - Self.daysBefore1970
    }

    /// The day of the week of a day, from 0 for Sunday.
    static func weekday(daysSince1970 days: Int64) -> Int64 {
        // The start of 1970 was a Thursday.
        (days + 4).quotientAndFloorRemainder(dividingBy: 7).remainder
    }
}
