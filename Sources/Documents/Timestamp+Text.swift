@_spi(Baton) public import BatonOperations

@_spi(Baton) extension Timestamp {
    /// Reads a moment in ISO 8601 and UTC; nil for another form.
    ///
    /// Documents have `2026-11-21T03:04:05.000678Z`. Fewer decimals, or none as in `2026-11-21T03:04:05Z`, are what other programs
    /// write.
    public init?(iso8601 text: String) {
        let parts = text.split(separator: "T", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].hasSuffix("Z") else { return nil }
        let clock = parts[1].dropLast().split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let decimals = clock.count == 2 ? clock[1] : "0"
        guard let date = Self.numbers(parts[0], separator: "-", digits: [4, 2, 2]),
            let time = Self.numbers(clock[0], separator: ":", digits: [2, 2, 2]),
            (1...12).contains(date[1]), (1...Self.dayCount(year: date[0], month: date[1])).contains(date[2]),
            time[0] < 24, time[1] < 60, time[2] < 60, (1...6).contains(decimals.utf8.count),
            let microseconds = Self.number(decimals + String(repeating: "0", count: 6 - decimals.utf8.count))
        else { return nil }
        let seconds = (time[0] * 60 + time[1]) * 60 + time[2]
        let days = Self.daysSince1970(year: date[0], month: date[1], day: date[2])
        self.init(rawValue: (days * 86_400 + seconds) * 1_000_000 + microseconds)
    }

    /// Numbers with so many digits each; nil for another text.
    private static func numbers(_ text: Substring, separator: Character, digits: [Int]) -> [Int64]? {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == digits else { return nil }
        let numbers = parts.compactMap { number($0) }
        return numbers.count == digits.count ? numbers : nil
    }

    /// The number of days of a month.
    private static func dayCount(year: Int64, month: Int64) -> Int64 {
        let (nextYear, nextMonth) = month == 12 ? (year + 1, 1) : (year, month + 1)
        return daysSince1970(year: nextYear, month: nextMonth, day: 1) - daysSince1970(year: year, month: month, day: 1)
    }

    /// A number of digits alone; nil for another text.
    private static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
    }

    /// The day number of a Gregorian date; years start in March, so that the leap day comes last.
    private static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
        let marchYear = month <= 2 ? year - 1 : year
        let marchMonth = (month + 9) % 12
        let leapDays = floored(marchYear, by: 4) - floored(marchYear, by: 100) + floored(marchYear, by: 400)
        return marchYear * 365 + leapDays + (153 * marchMonth + 2) / 5 + day - 719_469
    }

    private static func floored(_ number: Int64, by divisor: Int64) -> Int64 {
        number >= 0 ? number / divisor : -((divisor - 1 - number) / divisor)
    }
}
