import Testing

@_spi(Baton) @testable import BatonOperations

@Suite("Cron expressions")
struct CronExpressionTests {
    /// The start of 2026, in minutes since the start of 1970.
    private static let startOf2026 = CivilDate(year: 2026, month: 1, day: 1).daysSince1970 * 1440

    /// The next local times of an expression, as texts.
    private func times(_ text: String, _ count: Int, after start: Int64 = startOf2026 - 1) throws -> [String] {
        let expression = try CronExpression(text)
        var minutes: [Int64] = []
        while minutes.count < count, let next = expression.minute(after: minutes.last ?? start) { minutes.append(next) }
        return minutes.map { String(Timestamp(rawValue: $0 * 60_000_000).description.prefix(16)) }
    }

    @Test("A date is the day that it is counted as")
    func dates() {
        for day in stride(from: Int64(-800_000), through: 3_000_000, by: 997) {
            #expect(CivilDate(daysSince1970: day).daysSince1970 == day)
        }
        #expect(CivilDate.weekday(daysSince1970: CivilDate(year: 2026, month: 11, day: 30).daysSince1970) == 1)
    }

    @Test(
        "SC1 Fields are numbers, names, ranges, steps and lists of them",
        arguments: [
            ("0 2 * * *", ["2026-01-01T02:00", "2026-01-02T02:00"]),
            ("*/20 0-1 * * *", ["2026-01-01T00:00", "2026-01-01T00:20", "2026-01-01T00:40", "2026-01-01T01:00"]),
            ("5,10-12/2 7 * * *", ["2026-01-01T07:05", "2026-01-01T07:10", "2026-01-01T07:12", "2026-01-02T07:05"]),
            ("0 9 * * MON-fri", ["2026-01-01T09:00", "2026-01-02T09:00", "2026-01-05T09:00"]),
            ("0 9 * * fri-sun", ["2026-01-02T09:00", "2026-01-03T09:00", "2026-01-04T09:00", "2026-01-09T09:00"]),
            ("0 9 * * 7", ["2026-01-04T09:00", "2026-01-11T09:00"]), ("0 9 * * 0", ["2026-01-04T09:00"]),
            ("0 0 1 feb,Oct *", ["2026-02-01T00:00", "2026-10-01T00:00", "2027-02-01T00:00"]),
            ("0 0 31 * *", ["2026-01-31T00:00", "2026-03-31T00:00", "2026-05-31T00:00"]),
            ("@daily", ["2026-01-01T00:00", "2026-01-02T00:00"]),
            ("@Hourly", ["2026-01-01T00:00", "2026-01-01T01:00"]),
            ("@weekly", ["2026-01-04T00:00", "2026-01-11T00:00"]),
            ("@monthly", ["2026-01-01T00:00", "2026-02-01T00:00"]),
            ("@yearly", ["2026-01-01T00:00", "2027-01-01T00:00"]),
        ]
    )
    func fields(text: String, expected: [String]) throws {
        #expect(try times(text, expected.count) == expected)
    }

    @Test("SC1 Of two day fields without *, either is enough; with one, both have to fit")
    func days() throws {
        #expect(
            try times("0 0 13 * 5", 4) == [
                "2026-01-02T00:00", "2026-01-09T00:00", "2026-01-13T00:00", "2026-01-16T00:00",
            ]
        )
        #expect(try times("0 0 */2 * 1", 3) == ["2026-01-05T00:00", "2026-01-19T00:00", "2026-02-09T00:00"])
        #expect(try times("0 0 13 * *", 2) == ["2026-01-13T00:00", "2026-02-13T00:00"])
    }

    @Test("SC1 29 February comes in leap years")
    func leapYears() throws {
        #expect(try times("0 0 29 2 *", 2) == ["2028-02-29T00:00", "2032-02-29T00:00"])
        let startOf2097 = CivilDate(year: 2097, month: 1, day: 1).daysSince1970 * 1440
        #expect(try times("0 0 29 2 *", 1, after: startOf2097) == ["2104-02-29T00:00"])
    }

    @Test(
        "SC1 What is no time, or never comes, is refused with a sentence",
        arguments: [
            ("", "five fields"), ("0 2 * *", "five fields"), ("0 2 * * * *", "five fields"), ("@reboot", "five fields"),
            ("60 2 * * *", "minute"), ("0 24 * * *", "hour"), ("0 0 0 * *", "day of the month"),
            ("0 0 * 13 *", "month"), ("0 0 * * 8", "day of the week"), ("mon 0 * * *", "minute"),
            ("-1 0 * * *", "minute"), ("5-1 0 * * *", "lower end"), ("*/0 0 * * *", "step"), ("5/15 0 * * *", "step"),
            ("1,,2 0 * * *", "minute"), ("1- 0 * * *", "minute"), ("* * ? * *", "day of the month"),
            ("0 0 30 2 *", "never"), ("0 0 31 4,6,9 *", "never"), ("0 0 30,31 feb *", "never"),
        ]
    )
    func refusals(text: String, part: String) {
        let word = part == "never" ? "no date that ever comes" : part
        let refusal = #expect(throws: Refusal.self) { try CronExpression(text) }
        #expect(refusal?.code == .invalid)
        #expect(refusal?.message.contains(word) == true)
    }
}
