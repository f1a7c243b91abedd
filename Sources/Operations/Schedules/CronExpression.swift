/// The times of a schedule in the form of crontab(5): minute, hour, day of the month, month and day of the week.
///
/// A field is `*`, a number, a name (`mon`, `jan`), a range (`1-5`), a step of `*` or a range (`*/15`), or a list of these. If neither
/// day field contains a `*`, a day that fits either of them is meant; otherwise, the day has to fit both. `@daily` and its like stand
/// for five fields.
@_spi(Baton) public struct CronExpression: Hashable, Sendable, CustomStringConvertible {
    /// The text, as it was written.
    public let description: String
    private let minutes: UInt64
    private let hours: UInt64
    private let days: UInt64
    private let months: UInt64
    private let weekdays: UInt64
    /// Whether one of the day fields is enough.
    private let isEitherDayEnough: Bool

    /// The words for five fields.
    private static let words: KeyValuePairs<String, String> = [
        "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
        "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
    ]

    /// The form of an expression, for the end of an error's sentence.
    public static let form =
        "the times of a schedule are five fields (minute, hour, day of the month, month, day of the week), as in \"0 2 * * *\", or a "
        + "word such as @daily"

    /// The most bytes of a text.
    public static let maximumLength = 1000
    /// The most days between two days that fit: 29 February comes on a given day of the week after 40 years at the latest.
    private static let mostDays = 41 * 366
    /// The start of 2000, from which on each date that exists comes within ``mostDays``.
    private static let startOf2000: Int64 = 10_957
    private static let minutesOfDay: Int64 = 1440

    /// Reads an expression.
    ///
    /// - Throws: ``Refusal`` `invalid` for a text of another form, and for a date that does not exist, such as 30 February.
    public init(_ text: String) throws(Refusal) {
        let given = text.utf8.count <= Self.maximumLength ? text : ""
        let expanded = Self.words.first { $0.key == given.lowercased() }?.value ?? given
        let fields = expanded.split { $0 == " " || $0 == "\t" }
        guard fields.count == 5 else {
            throw Refusal(.invalid, "\"\(text.asShown)\" cannot be read: \(Self.form).")
        }
        description = text
        minutes = try CronField.minute.numbers(in: fields[0])
        hours = try CronField.hour.numbers(in: fields[1])
        days = try CronField.day.numbers(in: fields[2])
        months = try CronField.month.numbers(in: fields[3])
        weekdays = try CronField.weekday.numbers(in: fields[4])
        isEitherDayEnough = !fields[2].contains("*") && !fields[4].contains("*")
        guard minute(after: Self.startOf2000 * Self.minutesOfDay) != nil else {
            throw Refusal(.invalid, "\"\(text.asShown)\" names no date that ever comes, so nothing would ever start.")
        }
    }

    /// Whether the expression means every hour of its days.
    ///
    /// Such a schedule goes by the time that passes: it neither repeats nor leaves out anything when clocks change.
    var isEveryHour: Bool { hours == (1 << 24) - 1 }

    /// The first matching minute after a minute, both in minutes of local time since the start of 1970; nil if none comes.
    func minute(after minute: Int64) -> Int64? {
        var (day, from) = (minute + 1).quotientAndFloorRemainder(dividingBy: Self.minutesOfDay)
        for _ in 0..<Self.mostDays {
            if fits(day), let minute = minuteOfDay(from: from) { return day * Self.minutesOfDay + minute }
            day += 1
            from = 0
        }
        return nil
    }

    private func fits(_ day: Int64) -> Bool {
        let date = CivilDate(daysSince1970: day)
        guard Self.has(months, date.month) else { return false }
        let isDay = Self.has(days, date.day)
        let isWeekday = Self.has(weekdays, CivilDate.weekday(daysSince1970: day))
        return isEitherDayEnough ? isDay || isWeekday : isDay && isWeekday
    }

    /// The first matching minute of a day that fits, from a minute on.
    private func minuteOfDay(from minute: Int64) -> Int64? {
        let (firstHour, firstMinute) = minute.quotientAndRemainder(dividingBy: 60)
        for hour in firstHour..<24 where Self.has(hours, hour) {
            let least = hour == firstHour ? UInt64(firstMinute) : 0
            let left = (minutes >> least) << least
            if left != 0 { return hour * 60 + Int64(left.trailingZeroBitCount) }
        }
        return nil
    }

    private static func has(_ bits: UInt64, _ number: Int64) -> Bool { bits >> UInt64(number) & 1 != 0 }
}
