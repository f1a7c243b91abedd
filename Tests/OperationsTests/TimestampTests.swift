@_spi(Baton) import BatonOperations
import Testing

@Suite("Timestamps") struct TimestampTests {
    @Test(
        "A timestamp is printed in ISO 8601 and UTC, with microseconds",
        arguments: [
            (0, "1970-01-01T00:00:00.000000Z"),
            (-1, "1969-12-31T23:59:59.999999Z"),
            (1_000_000, "1970-01-01T00:00:01.000000Z"),
            (951_782_400_000_000, "2000-02-29T00:00:00.000000Z"),
            (1_709_251_199_999_999, "2024-02-29T23:59:59.999999Z"),
            (1_709_251_200_000_000, "2024-03-01T00:00:00.000000Z"),
            (-2_203_891_200_000_000, "1900-03-01T00:00:00.000000Z"),
            (-2_203_891_200_000_001, "1900-02-28T23:59:59.999999Z"),
            (1_795_230_245_000_678, "2026-11-21T03:04:05.000678Z"),
            (-62_167_219_200_000_000, "0000-01-01T00:00:00.000000Z"),
            (-62_167_219_200_000_001, "-0001-12-31T23:59:59.999999Z"),
            (Int64.max, "294247-01-10T04:00:54.775807Z"),
            (Int64.min, "-290308-12-21T19:59:05.224192Z"),
        ]
    )
    func timestampPrintedISO8601(microseconds: Int64, expected: String) {
        #expect(Timestamp(rawValue: microseconds).description == expected)
    }

    @Test(
        "The nearest moment that a record can hold has a year of four digits",
        arguments: [
            (0, "1970-01-01T00:00:00.000000Z"), (.min, "0001-01-01T00:00:00.000000Z"),
            (-62_135_596_800_000_001, "0001-01-01T00:00:00.000000Z"),
            (253_402_300_799_999_999, "9999-12-31T23:59:59.999999Z"),
            (253_402_300_800_000_000, "9999-12-31T23:59:59.999999Z"), (.max, "9999-12-31T23:59:59.999999Z"),
        ] as [(Int64, String)]
    )
    func nearestRecordable(microseconds: Int64, expected: String) {
        #expect(Timestamp(rawValue: microseconds).nearestRecordable.description == expected)
    }

    @Test("The text of a timestamp for people has whole seconds and the word UTC")
    func textTimestampPeopleHas() {
        #expect(Timestamp(rawValue: 1_795_230_245_000_678).text == "2026-11-21 03:04:05 UTC")
    }

    @Test("Printed dates agree with a calendar that is counted day by day from 1580 to 2410")
    func printedDatesAgreeCalendar() {
        func length(_ month: Int, _ year: Int) -> Int {
            let isLeap = year % 4 == 0 && year % 100 != 0 || year % 400 == 0
            return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
        }
        func date(_ day: Int) -> String {
            String(Timestamp(rawValue: Int64(day) * 86_400_000_000).description.prefix { $0 != "T" })
        }
        func padded(_ number: Int, _ width: Int) -> String {
            String(repeating: "0", count: width - String(number).count) + String(number)
        }
        var day = 0
        for year in 1970...2410 {
            for month in 1...12 {
                let prefix = padded(year, 4) + "-" + padded(month, 2) + "-"
                #expect(date(day) == prefix + "01")
                day += length(month, year)
                #expect(date(day - 1) == prefix + padded(length(month, year), 2))
            }
        }
        day = 0
        for year in (1580...1969).reversed() {
            for month in (1...12).reversed() {
                let prefix = padded(year, 4) + "-" + padded(month, 2) + "-"
                #expect(date(day - 1) == prefix + padded(length(month, year), 2))
                day -= length(month, year)
                #expect(date(day) == prefix + "01")
            }
        }
    }

    @Test("Sums and differences of timestamps saturate at both ends")
    func sumsDifferencesTimestampsSaturate() {
        let first = Timestamp(rawValue: .min)
        let last = Timestamp(rawValue: .max)
        #expect(last + .seconds(1) == last)
        #expect(first + .seconds(-1) == first)
        #expect(Timestamp(rawValue: 5) + .microseconds(-7) == Timestamp(rawValue: -2))
        #expect(last - first == .microseconds(Int64.max))
        #expect(first - last == .microseconds(Int64.min))
        #expect(Timestamp(rawValue: 5) - Timestamp(rawValue: 7) == .microseconds(-2))
        #expect(first < last)
    }
}
