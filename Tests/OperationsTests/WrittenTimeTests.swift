import Testing

@_spi(Baton) @testable import BatonOperations

@Suite("Times as users write them")
struct WrittenTimeTests {
    /// 2026-11-30 10:00:00 UTC.
    private static let now = Timestamp(rawValue: 1_796_032_800_000_000)
    private static let utc = PresentTime(now) { _ in 0 }
    /// The clocks of Berlin in 2027: an hour ahead of UTC, and two from 03-28 01:00 UTC to 10-31 01:00 UTC.
    private static let berlin = PresentTime(now) { (1_806_195_600..<1_824_944_400).contains($0) ? 7200 : 3600 }

    @Test(
        "A time of day is its next occurrence, and a date is what it says",
        arguments: [
            ("22:00", utc, 12 * 3600), ("10:00:01", utc, 1), ("10:00", utc, 86_400), ("9:30", utc, 84_600),
            ("22:00", berlin, 11 * 3600), ("22:00Z", berlin, 12 * 3600), ("22:00+01:00", utc, 11 * 3600),
            ("2026-12-01T06:00", utc, 20 * 3600), ("2026-12-01 06:00", berlin, 19 * 3600),
            ("2026-12-01T06:00+01:00", utc, 19 * 3600), ("2026-12-01T06:00:30-05:30", utc, 25 * 3600 + 1830),
            ("2026-12-01", utc, 14 * 3600), ("2028-02-29T00:00Z", utc, 39_362_400),
        ] as [(String, PresentTime, Int64)]
    )
    func reads(text: String, present: PresentTime, seconds: Int64) throws {
        let time = try #require(WrittenTime(text))
        #expect(time.objection(at: present) == nil)
        #expect(time.wait(at: present) == .seconds(seconds))
    }

    @Test("A local time that does not exist is the next that does, and one that exists twice is the first")
    func changesOfTheClock() throws {
        func moment(_ text: String) throws -> Int64 {
            let wait = try #require(WrittenTime(text)?.wait(at: Self.berlin))
            return (Self.now + wait).rawValue / 1_000_000
        }
        #expect(try moment("2027-03-28T01:59:59") == 1_806_195_599)
        #expect(try moment("2027-03-28T02:00") == 1_806_195_600)
        #expect(try moment("2027-03-28T02:30") == 1_806_195_600)
        #expect(try moment("2027-03-28T03:00") == 1_806_195_600)
        #expect(try moment("2027-10-31T02:30") == 1_824_942_600)
        #expect(try moment("2027-10-31T03:00") == 1_824_948_000)
    }

    @Test(
        "Other texts are no times",
        arguments: [
            "", "24:00", "10:60", "1000", "10", "10:00:60", "-1:00", "2026-02-30", "2026-13-01T06:00", "2026-12-01T",
            "26-12-01", "2026-12-01T06:00+1", "2026-12-01T06:00+25:00", "T06:00", "2026-12-01T06:00 CET", "tomorrow",
            "2h",
        ]
    )
    func refuses(text: String) { #expect(WrittenTime(text) == nil) }

    @Test("There is an objection to a past and to a very late time, and to a local one where there is none")
    func objections() throws {
        let zoneless = PresentTime(Self.now, offset: nil)
        for (text, present, words) in [
            ("2026-11-30T10:00", Self.utc, "has passed"), ("2060-01-01", Self.utc, "is more than 10000 days ahead"),
            ("22:00", zoneless, "has no offset"),
        ] {
            let time = try #require(WrittenTime(text))
            #expect(time.objection(at: present)?.hasPrefix(words) == true)
            #expect(time.wait(at: present) == nil)
        }
        #expect(WrittenTime("22:00Z")?.wait(at: zoneless) == .seconds(12 * 3600))
    }
}
