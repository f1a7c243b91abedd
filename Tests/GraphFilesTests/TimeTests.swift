@_spi(Baton) @testable import BatonGraphFiles
@_spi(Baton) import BatonOperations
import Testing

/// Times of day and dates in graph files.
@Suite("Times in graph files")
struct TimeTests {
    /// 2026-11-30 10:00:00 UTC, where clocks show UTC.
    private static let present = PresentTime(Timestamp(rawValue: 1_796_032_800_000_000)) { _ in 0 }

    private static func read(
        _ text: String,
        _ present: PresentTime? = present,
        adding additions: GraphFileAdditions = GraphFileAdditions()
    ) throws(GraphFileError) -> Submission {
        var options = options
        options.present = present
        options.additions = additions
        return try GraphFile.submission(from: Array(text.utf8), options: options)
    }

    private static func message(_ text: String, _ present: PresentTime? = present) -> String? {
        do {
            _ = try read(text, present)
            return nil
        } catch {
            return error.description
        }
    }

    @Test("SC4 A begin becomes a delay, also in defaults, and null takes it back")
    func begin() throws {
        let submission = try Self.read(
            """
            { defaults: { begin: "22:00" }, operations: [
              { kind: "noop" }, { kind: "noop", begin: "2026-12-01T06:00+01:00" }, { kind: "noop", begin: null },
              { kind: "noop", delay: "1m" },
            ] }
            """
        )
        #expect(submission.entries.map(\.delay) == [.seconds(43_200), .seconds(68_400), nil, .seconds(60)])
    }

    @Test("SC4 Of a begin and a delay, null takes a default back, and the other one counts")
    func nullBesideOther() throws {
        let submission = try Self.read(
            """
            { defaults: { begin: "22:00", delay: null }, operations: [
              { kind: "noop" }, { kind: "noop", begin: null, delay: "1m" }, { kind: "noop", delay: "1m", begin: null },
              { kind: "noop", delay: null, begin: "10:01" }, { kind: "noop", begin: "10:01", delay: null },
              { kind: "noop", begin: null, delay: null },
            ] }
            """
        )
        let delays: [Duration?] = [.seconds(43_200), .seconds(60), .seconds(60), .seconds(60), .seconds(60), nil]
        #expect(submission.entries.map(\.delay) == delays)
    }

    @Test("The begin of the command line is for the operations without a dependency inside the file")
    func added() throws {
        let submission = try Self.read(
            """
            { operations: [{ name: "a", kind: "noop" }, { kind: "noop", after: "a" }, { kind: "noop", delay: "1m" }] }
            """,
            adding: GraphFileAdditions(delay: .seconds(5))
        )
        #expect(submission.entries.map(\.delay) == [.seconds(5), nil, .seconds(60)])
    }

    @Test(
        "An impossible time is refused with its place",
        arguments: [
            (#"begin: "24:00""#, #"found "24:00""#), (#"begin: "2026-11-30T09:00""#, "has passed"),
            (#"begin: "2060-01-01""#, "more than 10000 days ahead"), ("begin: 22", "expected a time of day"),
            (#"begin: "22:00", delay: "1m""#, #"give one of "begin" and "delay""#),
            (#"delay: "1m", begin: "22:00""#, #"give one of "begin" and "delay""#),
        ]
    )
    func refuses(member: String, words: String) throws {
        let message = try #require(Self.message("{ operations: [{ kind: 'noop', \(member) }] }"))
        #expect(message.hasPrefix("graph.json:1:") && message.contains(words), "\(message)")
    }

    @Test("SC5 A deadline is a duration or the wait until a time, of the job and of its operations")
    func deadline() throws {
        let submission = try Self.read(
            """
            { deadline: "06:00", defaults: { deadline: "2h" }, operations: [
              { kind: "noop" }, { kind: "noop", deadline: "10:01" }, { kind: "noop", deadline: null },
            ] }
            """
        )
        #expect(submission.settings.deadline == .seconds(72_000))
        let deadlines = submission.entries.map { submission.templates[$0.template].deadline }
        #expect(deadlines == [.seconds(7200), .seconds(60), nil])
        #expect(
            Self.message("{ operations: [{ kind: 'noop', deadline: '2026-11-30' }] }")?.contains("has passed") == true
        )
        #expect(
            Self.message("{ operations: [{ kind: 'noop', deadline: 2 }] }")?.contains("expected a duration") == true
        )
        let long = Self.message("{ operations: [{ kind: 'noop', deadline: '36500d' }] }")
        #expect(long?.contains("at most 10000d after the submission") == true, "\(long ?? "")")
        let late = Self.message("{ operations: [{ kind: 'noop', begin: '23:00', deadline: '22:00' }] }")
        #expect(late?.contains("may not start before 13h 00m have passed") == true, "\(late ?? "")")
    }

    @Test("Without a local time, a time needs an offset, and without a clock it is refused")
    func withoutZone() throws {
        let zoneless = PresentTime(Self.present.moment, offset: nil)
        let local = #"{ operations: [{ kind: "noop", begin: "22:00" }] }"#
        #expect(Self.message(local, zoneless)?.contains("has no offset from UTC") == true)
        #expect(Self.message(local, nil)?.contains("cannot be used here") == true)
        let whole = try Self.read(#"{ operations: [{ kind: "noop", begin: "22:00Z" }] }"#, zoneless)
        #expect(whole.entries[0].delay == .seconds(43_200))
    }
}
