import Testing

@_spi(Baton) @testable import BatonOperations

@Suite("The times of schedules")
struct ScheduleTimesTests {
    /// The moment of a text such as `2026-03-28T12:00`, in UTC.
    private func moment(_ text: String) throws -> Timestamp {
        let numbers = text.split { "-T:".contains($0) }.compactMap { Int64($0) }
        try #require(numbers.count == 5)
        let day = CivilDate(year: numbers[0], month: numbers[1], day: numbers[2]).daysSince1970
        return Timestamp(rawValue: ((day * 24 + numbers[3]) * 60 + numbers[4]) * 60_000_000)
    }

    private func times(_ text: String, in zone: String) throws -> ScheduleTimes {
        ScheduleTimes(try CronExpression(text), in: try #require(SampleTimeZones.zone(zone)))
    }

    private func text(_ time: Timestamp) -> String { String(time.description.prefix(16)) }

    @Test(
        "SC2 A time that clocks leave out starts at their change, and one that they show twice starts once",
        arguments: [
            // From 2:00 to 3:00, and from 3:00 to 2:00.
            (SampleTimeZones.berlin, "30 2 * * *", "2026-03-28T12:00", ["2026-03-29T01:00", "2026-03-30T00:30"]),
            (SampleTimeZones.berlin, "30 2 * * *", "2026-10-24T12:00", ["2026-10-25T00:30", "2026-10-26T01:30"]),
            (SampleTimeZones.berlin, "10,40 2 * * *", "2026-03-28T12:00", ["2026-03-29T01:00", "2026-03-30T00:10"]),
            (SampleTimeZones.berlin, "30 1,2,3 * * *", "2026-10-25T00:30", ["2026-10-25T02:30", "2026-10-26T00:30"]),
            (SampleTimeZones.newYork, "30 2 * * *", "2026-03-08T00:00", ["2026-03-08T07:00", "2026-03-09T06:30"]),
            (SampleTimeZones.newYork, "30 1 * * *", "2026-11-01T00:00", ["2026-11-01T05:30", "2026-11-02T06:30"]),
            // From 2:00 to 2:30, and from 2:00 to 1:30.
            (SampleTimeZones.lordHowe, "15 2 * * *", "2026-10-03T00:00", ["2026-10-03T15:30", "2026-10-04T15:15"]),
            (SampleTimeZones.lordHowe, "45 1 * * *", "2026-04-04T00:00", ["2026-04-04T14:45", "2026-04-05T15:15"]),
            (SampleTimeZones.lordHowe, "0 0 * * *", "2026-12-30T20:00", ["2026-12-31T13:00", "2027-01-01T13:00"]),
            (SampleTimeZones.nuuk, "0 23 * * *", "2026-03-28T12:00", ["2026-03-29T01:00", "2026-03-30T00:00"]),
            (SampleTimeZones.kolkata, "0 2 * * *", "2026-03-28T12:00", ["2026-03-28T20:30", "2026-03-29T20:30"]),
        ]
    )
    func changes(zone: String, expression: String, start: String, expected: [String]) throws {
        let times = try times(expression, in: zone).next(expected.count, after: try moment(start))
        #expect(times.map(text) == expected)
    }

    @Test(
        "SC2 What starts in every hour goes by the time that passes",
        arguments: [SampleTimeZones.berlin, SampleTimeZones.lordHowe, SampleTimeZones.newYork]
    )
    func everyHour(zone: String) throws {
        let quarters = try times("*/15 * * * *", in: zone)
        for start in [
            "2026-03-07T20:00", "2026-03-28T20:00", "2026-04-04T10:00", "2026-10-03T10:00", "2026-10-24T20:00",
        ] {
            let found = quarters.next(60, after: try moment(start))
            #expect(zip(found, found.dropFirst()).allSatisfy { $1 - $0 == .seconds(900) })
        }
        // Clocks that change by half an hour show the full hour half an hour sooner or later.
        let hours = try times("0 * * * *", in: SampleTimeZones.lordHowe).next(3, after: try moment("2026-10-03T14:00"))
        #expect(hours.map(text) == ["2026-10-03T14:30", "2026-10-03T16:00", "2026-10-03T17:00"])
    }

    @Test("SC3 The key of a start says the time, and no other key does")
    func keys() throws {
        let settings = ScheduleSettings(name: "nightly", cron: try CronExpression("@daily"))
        let time = Timestamp(rawValue: 1_795_737_600_000_000)
        #expect(settings.key(at: time) == "nightly@2026-11-27T00:00Z")
        #expect(settings.time(ofKey: "nightly@2026-11-27T00:00Z") == time)
        for other in [
            "nightly", "nightly@", "nightly@2026-11-27", "nightly@2026-11-27T00:00", "nightly@2026-11-27T0:00Z",
            "nightly@2026-11-27T01:00+01:00", "nightly2@2026-11-27T00:00Z", "nightly@22:00Z",
        ] {
            #expect(settings.time(ofKey: other) == nil, "\(other)")
        }
    }

    @Test("SC1 The last time in a stretch is found, however long the stretch is")
    func last() throws {
        let nightly = try times("0 2 * * *", in: SampleTimeZones.berlin)
        #expect(
            nightly.last(after: try moment("2020-01-01T00:00"), through: try moment("2026-11-30T00:59")).map(text)
                == "2026-11-29T01:00"
        )
        #expect(
            nightly.last(after: try moment("2026-11-29T01:00"), through: try moment("2026-11-30T01:00")).map(text)
                == "2026-11-30T01:00"
        )
        #expect(nightly.last(after: try moment("2026-11-29T01:00"), through: try moment("2026-11-30T00:59")) == nil)
        let yearly = try times("0 0 29 2 *", in: SampleTimeZones.kolkata)
        #expect(
            yearly.last(after: try moment("2000-01-01T00:00"), through: try moment("2031-01-01T00:00")).map(text)
                == "2028-02-28T18:30"
        )
    }

    @Test("A file tells of past changes, and its end of later ones")
    func file() throws {
        let changes: [(moment: Int64, ahead: Int32)] = [(1_000_000, 3600), (2_000_000, 7200)]
        let zone = try #require(TimeZoneRules(file: SampleTimeZones.file(changes: changes, first: 60, footer: "ABC-1")))
        #expect([0, 999_999, 1_000_000, 1_999_999].map { zone.ahead(at: $0) } == [60, 60, 3600, 3600])
        #expect(zone.ahead(at: 2_000_000) == 3600)
        let still = try #require(TimeZoneRules(file: SampleTimeZones.file(changes: changes, footer: "")))
        #expect(still.ahead(at: 3_000_000) == 7200)
        #expect(TimeZoneRules.utc.ahead(at: 5) == 0)
    }

    @Test("A rule without a date for summer time has that of the United States, and days of the year are counted")
    func rules() throws {
        let july = try moment("2026-07-01T00:00").rawValue / 1_000_000
        #expect(SampleTimeZones.zone("EST5EDT")?.ahead(at: july) == -4 * 3600)
        #expect(SampleTimeZones.zone("ABC3DEF2:30,J60/0,J300")?.ahead(at: july) == -9000)
        #expect(SampleTimeZones.zone("ABC3DEF,0/0,J365/23")?.ahead(at: july) == -2 * 3600)
    }

    @Test("A damaged file is no time zone, and is read without a trap")
    func damage() {
        let file = SampleTimeZones.file(changes: [(1_000_000, 3600)], footer: SampleTimeZones.berlin)
        #expect(TimeZoneRules(file: []) == nil)
        for length in 0..<file.count - SampleTimeZones.berlin.utf8.count - 2 {
            #expect(TimeZoneRules(file: Array(file.prefix(length))) == nil)
        }
        for position in file.indices {
            var damaged = file
            damaged[position] ^= 0xFF
            _ = TimeZoneRules(file: damaged)?.moment(ofLocal: 1_790_000_000)
        }
        for footer in ["C-1", "CET", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M1.1.0", "CET-1CEST,M3.5.0,M10.5.0x"] {
            #expect(SampleTimeZones.zone(footer) == nil)
        }
    }
}
