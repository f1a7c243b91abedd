@_spi(Baton) public import BatonOperations

@_spi(Baton) extension Timestamp {
    /// Reads a timestamp in the form of documents, `2026-11-21T03:04:05.000678Z`; nil for another form.
    public init?(iso8601 text: String) {
        let parts = text.split(separator: "T", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].utf8.count == 16, parts[1].hasSuffix("Z") else { return nil }
        let date = parts[0].split(separator: "-", omittingEmptySubsequences: false).compactMap { Int64($0) }
        let time = parts[1].dropLast().split { $0 == ":" || $0 == "." }.compactMap { Int64($0) }
        guard date.count == 3, time.count == 4, (1...12).contains(date[1]), (1...31).contains(date[2]),
            (0..<10_000).contains(date[0])
        else { return nil }
        let seconds = (time[0] * 60 + time[1]) * 60 + time[2]
        let days = Self.daysSince1970(year: date[0], month: date[1], day: date[2])
        self.init(rawValue: (days * 86_400 + seconds) * 1_000_000 + time[3])
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
