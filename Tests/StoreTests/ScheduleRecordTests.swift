@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonStore

/// Tests of the schedules in the record.
@Suite("Schedules in the record", .timeLimit(.minutes(60)))
struct ScheduleRecordTests {
    private func schedule(_ name: String, by requester: String?) throws -> ScheduleRecord {
        ScheduleRecord(
            settings: ScheduleSettings(
                name: name,
                cron: try CronExpression("0 2 * * mon-fri"),
                timeZone: "Europe/Berlin",
                overlap: .replace,
                catchUp: .nothing
            ),
            addedAt: .at(5),
            addedBy: requester,
            request: [0, 1, 0xFF],
            state: ScheduleState(decidedUntil: .at(5))
        )
    }

    @Test(
        "SC1 A schedule is kept over restarts, with how far it has come, until it is removed",
        arguments: StoreKind.engines
    )
    func kept(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        var (nightly, hourly) = (try schedule("nightly", by: "laptop"), try schedule("hourly", by: nil))
        try test.store.commit([.schedule("nightly", nightly), .schedule("hourly", hourly)])
        try test.restart()
        #expect(test.state.schedules == ["nightly": nightly, "hourly": hourly])
        nightly.state.isPaused = true
        hourly.state.decidedUntil = .at(180)
        hourly.state.last = ScheduleState.Start(time: .at(60), job: JobNumber(7))
        hourly.state.waiting = [.at(120), .at(180)]
        hourly.state.skip = ScheduleSkip(time: .at(0), reason: .refused, message: "No.")
        try test.store.commit([.scheduleState("nightly", nightly.state), .scheduleState("hourly", hourly.state)])
        try test.restart()
        #expect(test.state.schedules == ["nightly": nightly, "hourly": hourly])
        hourly.state.waiting = []
        hourly.state.skip = ScheduleSkip(time: .at(1), reason: .overlap)
        try test.store.commit([
            .schedule("nightly", nil), .scheduleState("hourly", hourly.state), .scheduleState("nightly", nightly.state),
        ])
        try test.restart()
        #expect(test.state.schedules == ["hourly": hourly])
    }

    @Test("LI3 The events of a limit are kept", arguments: StoreKind.engines)
    func limitEvents(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let events = [3, 0, LimitChange.maximumUnits, nil].enumerated().map { number, units in
            ClusterEvent(
                sequence: UInt64(number) + 1,
                time: .at(1),
                by: "laptop",
                subject: .limit(LimitChange("licence", units: units))
            )
        }
        try test.store.commit(events.map { .event($0) })
        try test.restart()
        #expect(try test.store.events(after: 0, limit: 10) == events)
    }

    @Test("SC3 The events of a schedule are kept", arguments: StoreKind.engines)
    func events(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let events = ScheduleNews.allCases.enumerated().map { number, news in
            ClusterEvent(
                sequence: UInt64(number) + 1,
                time: .at(1),
                by: news.isRequested ? "laptop" : nil,
                subject: .schedule("nightly", news)
            )
        }
        try test.store.commit(events.map { .event($0) })
        try test.restart()
        #expect(try test.store.events(after: 0, limit: 10) == events)
    }

    @Test(
        "SC1 A schedule whose row no Baton wrote is damage",
        arguments: ["cron = 'x'", "overlap = 'x'", "waiting = '{}'"]
    )
    func damage(assignment: String) throws {
        let test = try TestStore(.file)
        try test.store.commit([.schedule("nightly", try schedule("nightly", by: nil))])
        test.store.close()
        try Database(path: test.path).execute("UPDATE schedules SET \(assignment)")
        #expect(throws: StoreError.self) { try test.restart() }
    }
}
