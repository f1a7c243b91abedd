/// A moment of each year in the form of the variable `TZ`: `M3.5.0/2`, `J60` or `59`.
struct YearlyMoment: Hashable, Sendable {
    /// The day of the moment.
    private enum Day: Hashable, Sendable {
        /// A day of the week in a week of a month; week 5 is the last one.
        case weekday(Int64, week: Int64, month: Int64)
        /// A day of the year from 1, without counting 29 February.
        case withoutLeapDay(Int64)
        /// A day of the year from 0.
        case ofYear(Int64)
    }

    private let day: Day
    /// The seconds from the start of the day; they may be negative, and more than a day.
    private let time: Int64

    /// Reads a moment; nil for a text of another form.
    init?(from reader: inout PosixReader) {
        if reader.take("M") {
            guard let month = reader.takeNumber(), (1...12).contains(month), reader.take("."),
                let week = reader.takeNumber(), (1...5).contains(week), reader.take("."),
                let weekday = reader.takeNumber(), (0...6).contains(weekday)
            else { return nil }
            day = .weekday(weekday, week: week, month: month)
        } else if reader.take("J") {
            guard let number = reader.takeNumber(), (1...365).contains(number) else { return nil }
            day = .withoutLeapDay(number)
        } else {
            guard let number = reader.takeNumber(), (0...365).contains(number) else { return nil }
            day = .ofYear(number)
        }
        guard reader.take("/") else {
            time = 2 * 3600
            return
        }
        guard let time = reader.takeTime() else { return nil }
        self.time = time
    }

    /// The moment in a year, in seconds of local time since the start of 1970.
    func seconds(in year: Int64) -> Int64 { days(in: year) * 86_400 + time }

    private func days(in year: Int64) -> Int64 {
        let newYear = CivilDate(year: year, month: 1, day: 1).daysSince1970
        switch day {
        case .ofYear(let number): return newYear + number
        case .withoutLeapDay(let number):
            let isAfterLeapDay = number >= 60
            let hasLeapDay = CivilDate(daysSince1970: newYear + 59).month == 2
            return newYear + number - 1 + (isAfterLeapDay && hasLeapDay ? 1 : 0)
        case .weekday(let weekday, let week, let month):
            let first = CivilDate(year: year, month: month, day: 1).daysSince1970
            let shift = weekday - CivilDate.weekday(daysSince1970: first)
            let day = first + (shift < 0 ? shift + 7 : shift) + 7 * (week - 1)
            // The last one is the fourth or the fifth.
            return CivilDate(daysSince1970: day).month == month ? day : day - 7
        }
    }
}
