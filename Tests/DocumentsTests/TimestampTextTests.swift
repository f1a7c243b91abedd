@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
import Foundation
import Testing

@Suite("The text of moments", .timeLimit(.minutes(60)))
struct TimestampTextTests {
    @Test(
        "A moment is read as it was written",
        arguments: [0, -1, 1_795_230_245_000_678, -62_167_219_200_000_000] as [Int64]
    )
    func roundTrip(_ microseconds: Int64) {
        let moment = Timestamp(rawValue: microseconds)
        #expect(Timestamp(iso8601: moment.description) == moment)
    }

    @Test(
        "A document has no moment that cannot be read back",
        arguments: [885_390_663_449_704_056, .max, .min, 253_402_300_800_000_000] as [Int64]
    )
    func wrongClock(_ microseconds: Int64) throws {
        let moment = Timestamp(rawValue: microseconds)
        let json = StopDocument(signal: 19, since: moment).json
        let read = try JSONDecoder().decode(StopDocument.self, from: Data(json))
        #expect(read.since == moment.nearestRecordable)
    }

    @Test(
        "Other programs write fewer decimals, or none",
        arguments: [("05", 0), ("05.1", 100_000), ("05.123", 123_000), ("05.000678", 678)] as [(String, Int64)]
    )
    func decimals(_ seconds: String, _ microseconds: Int64) {
        let moment = Timestamp(iso8601: "2026-11-21T03:04:\(seconds)Z")
        #expect(moment == Timestamp(rawValue: 1_795_230_245_000_000 + microseconds))
    }

    @Test(
        "The last day of a month is a day",
        arguments: ["2024-02-29", "2000-02-29", "2026-02-28", "2026-04-30", "2026-12-31", "0000-02-29", "9999-12-31"]
    )
    func lastDays(_ day: String) {
        #expect(Timestamp(iso8601: day + "T23:59:59Z") != nil)
    }

    @Test(
        "Another form is no moment",
        arguments: [
            "", "T", "Z", "2026-11-21", "2026-11-21T03:04:05", "2026-11-21T03:04Z", "2026-11-21T3:4:5Z",
            "2026-11-21T24:00:00Z",
            "2026-11-21T03:60:05Z", "2026-11-21T03:04:60Z", "2026-11-21T03:04:05.Z", "2026-11-21T03:04:05.1234567Z",
            "2026-11-21T03:04:+5Z", "2026-11-21T03:04:05.-1Z", "2026-13-21T03:04:05Z", "10000-11-21T03:04:05Z",
            "2026-11-21T999999999:0:0.0Z", "+026-01-01T00:00:00Z", "-001-01-01T00:00:00Z", "-9999-01-01T00:00:00Z",
            "2026-+1-01T00:00:00Z", "2026-1-01T00:00:00Z", "2026-02-30T00:00:00Z", "2025-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-12-32T00:00:00Z", "2026-00-10T00:00:00Z",
            "2026-01-00T00:00:00Z",
        ]
    )
    func malformed(_ text: String) {
        #expect(Timestamp(iso8601: text) == nil)
    }
}
