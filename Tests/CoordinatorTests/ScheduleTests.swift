@_spi(Baton) import BatonDocuments
import BatonMemoryDisk
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
import Foundation
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonCoordinator

/// A coordinator whose schedules start jobs.
@Suite("Schedules of a coordinator", .timeLimit(.minutes(60)))
struct ScheduleTests {
    /// 27 November 2026, 1:30 in UTC.
    private static let start = Timestamp(rawValue: 1_795_743_000_000_000)

    /// A coordinator whose time the test passes, and one client.
    private final class Life {
        let coordinator: SteppedCoordinator
        private var lastRequest: UInt64 = 0

        init(_ store: any Store, at now: Timestamp) throws {
            // The record is asked for nothing but what schedules and requests need.
            coordinator = try SteppedCoordinator(store, at: now, retention: .forever)
            coordinator.settle(flushes: true)
        }

        func ask(_ request: Request) throws -> Reply {
            lastRequest += 1
            coordinator.ask(request, lastRequest, from: try #require(RoutingID([1])))
            coordinator.settle(flushes: true)
            return try #require(try coordinator.takeReplies().last).reply
        }

        func pass(_ time: Duration) {
            coordinator.now = coordinator.now + time
            coordinator.settle(flushes: true)
        }

        func document<Value: Document>(_ type: Value.Type, _ request: DocumentRequest) throws -> Value {
            let reply = try ask(.document(request))
            guard case .document(let json) = reply else { throw Unexpected(answer: "\(reply)") }
            return try JSONDecoder().decode(Value.self, from: Data(json))
        }

        func jobs() throws -> [JobListDocument.Job] {
            try document(JobListDocument.self, .jobs(before: nil, limit: 100)).jobs
        }

        func schedule(_ name: String = "hourly") throws -> ScheduleDocument {
            try document(ScheduleDocument.self, .schedule(name))
        }
    }

    private func settings(
        _ name: String = "hourly",
        cron: String = "0 * * * *",
        timeZone: String = "UTC",
        overlap: ScheduleOverlap = .skip
    ) throws -> ScheduleSettings {
        ScheduleSettings(name: name, cron: try CronExpression(cron), timeZone: timeZone, overlap: overlap)
    }

    /// A job that goes on until somebody cancels it, because there is no worker.
    private func submission() -> Submission {
        Submission(templates: [Template(work: Work(.noOperation))], entries: [Entry(name: "a")])
    }

    @Test("SC1 Each time starts one job under its key, which has the schedule's tag, and a restart starts none again")
    func restarts() throws {
        let disk = MemoryDisk()
        var store = try SQLStore(on: disk)
        var life = try Life(store, at: Self.start)
        #expect(try life.ask(.addSchedule(try settings(), submission())) == .changed(ChangeReport(changed: 1)))
        life.pass(.seconds(1799))
        #expect(try life.jobs().isEmpty)
        life.pass(.seconds(1))
        #expect(try life.jobs().map(\.tags) == [["schedule": "hourly"]])
        for _ in 0..<2 {
            store.close()
            store = try SQLStore(on: disk)
            life = try Life(store, at: life.coordinator.now + .seconds(1))
            #expect(try life.jobs().count == 1)
        }
        let job = try life.ask(.startSchedule("hourly", key: "hourly@2026-11-27T02:00Z"))
        #expect(job == .job(JobNumber(1), operations: 1, isNew: false))
        _ = try life.ask(.cancel([.job(JobNumber(1))], queue: nil))
        life.pass(.seconds(3600))
        #expect(try life.jobs().map(\.job) == [JobNumber(2), JobNumber(1)])
        let schedule = try life.schedule()
        #expect(schedule.lastJob == JobNumber(2))
        #expect(schedule.lastTime == Self.start + .seconds(1800 + 3600))
        #expect(schedule.next.first == Self.start + .seconds(1800 + 7200))
        #expect(schedule.next.count == 5)
        #expect(schedule.skippedTime == nil)
        #expect(life.coordinator.core.violations == [])
    }

    @Test(
        "SC1 A job and how far its schedule has come are one commit: wherever a coordinator is killed, it starts once"
    )
    func kills() throws {
        for kept in 0..<6 {
            let disk = MemoryDisk()
            let store = try SQLStore(on: disk)
            let life = try Life(store, at: Self.start)
            _ = try life.ask(.addSchedule(try settings(), submission()))
            life.coordinator.now = Self.start + .seconds(1800)
            for _ in 0..<kept { life.coordinator.endTurn(flushes: true) }
            store.close()
            let again = try SQLStore(on: disk)
            let later = try Life(again, at: Self.start + .seconds(1803))
            later.pass(.seconds(1))
            #expect(try later.jobs().count == 1, "after \(kept) turns")
            #expect(try later.schedule().lastJob == JobNumber(1))
            again.close()
        }
    }

    @Test(
        "SC3 While a job goes on, the next time is skipped, waits, or cancels it",
        arguments: ScheduleOverlap.allCases
    )
    func overlap(overlap: ScheduleOverlap) throws {
        let store = try SQLStore(on: MemoryDisk())
        let life = try Life(store, at: Self.start)
        let settings = try settings(overlap: overlap)
        _ = try life.ask(.addSchedule(settings, submission()))
        life.pass(.seconds(1800))
        life.pass(.seconds(3600))
        switch overlap {
        case .skip:
            #expect(try life.jobs().count == 1)
            let schedule = try life.schedule()
            #expect(schedule.skipReason == .overlap)
            #expect(schedule.skippedTime == Self.start + .seconds(1800 + 3600))
        case .queue:
            #expect(try life.jobs().count == 1)
            #expect(try life.schedule().waiting == [Self.start + .seconds(1800 + 3600)])
            _ = try life.ask(.cancel([.job(JobNumber(1))], queue: nil))
            #expect(try life.jobs().count == 2)
        case .replace:
            let jobs = try life.jobs()
            #expect(jobs.map(\.job) == [JobNumber(2), JobNumber(1)])
            #expect(jobs.last?.outcome == .cancelled)
        }
    }

    @Test(
        "SC3 The job of a removed schedule is the last one of a schedule that is added under its name, over a restart, too",
        arguments: ScheduleOverlap.allCases
    )
    func addedAgain(overlap: ScheduleOverlap) throws {
        let disk = MemoryDisk()
        var store = try SQLStore(on: disk)
        var life = try Life(store, at: Self.start)
        _ = try life.ask(.addSchedule(try settings(), submission()))
        life.pass(.seconds(1800))
        // A job that somebody starts is not looked at, although it is the newer one.
        #expect(try life.ask(.startSchedule("hourly", key: "k")) == .job(JobNumber(2), operations: 1, isNew: true))
        #expect(try life.ask(.changeSchedule("hourly", .remove)) == .changed(ChangeReport(changed: 1)))
        store.close()
        store = try SQLStore(on: disk)
        life = try Life(store, at: life.coordinator.now + .seconds(1))
        let changed = try settings(cron: "30 * * * *", overlap: overlap)
        #expect(try life.ask(.addSchedule(changed, submission())) == .changed(ChangeReport(changed: 1)))
        #expect(try life.schedule().lastJob == JobNumber(1))
        #expect(try life.schedule().lastTime == Self.start + .seconds(1800))
        life.pass(.seconds(1800))
        switch overlap {
        case .skip:
            #expect(try life.jobs().count == 2)
            #expect(try life.schedule().skippedTime == Self.start + .seconds(3600))
        case .queue:
            #expect(try life.jobs().count == 2)
            #expect(try life.schedule().waiting == [Self.start + .seconds(3600)])
            _ = try life.ask(.cancel([.job(JobNumber(1))], queue: nil))
            #expect(try life.schedule().lastJob == JobNumber(3))
        case .replace:
            let jobs = try life.jobs()
            #expect(jobs.map(\.job) == [JobNumber(3), JobNumber(2), JobNumber(1)])
            #expect(jobs.last?.outcome == .cancelled)
            #expect(jobs[1].outcome == nil)
        }
        #expect(life.coordinator.core.violations == [])
    }

    @Test("A schedule is paused, resumed, started and removed, and says so after a restart")
    func changes() throws {
        let disk = MemoryDisk()
        var store = try SQLStore(on: disk)
        var life = try Life(store, at: Self.start)
        _ = try life.ask(.addSchedule(try settings(), submission()))
        #expect(try life.ask(.changeSchedule("hourly", .pause)) == .changed(ChangeReport(changed: 1)))
        #expect(try life.ask(.changeSchedule("hourly", .pause)) == .changed(ChangeReport(changed: 0)))
        store.close()
        store = try SQLStore(on: disk)
        life = try Life(store, at: Self.start + .seconds(2))
        #expect(try life.schedule().paused)
        life.pass(.seconds(7200))
        #expect(try life.jobs().isEmpty)
        #expect(try life.ask(.startSchedule("hourly", key: "k")) == .job(JobNumber(1), operations: 1, isNew: true))
        _ = try life.ask(.changeSchedule("hourly", .resume))
        life.pass(.seconds(3600))
        #expect(try life.jobs().count == 2)
        #expect(try life.ask(.changeSchedule("hourly", .remove)) == .changed(ChangeReport(changed: 1)))
        life.pass(.seconds(3600))
        #expect(try life.jobs().count == 2)
        #expect(try life.document(ScheduleListDocument.self, .schedules).schedules.isEmpty)
        let news = try store.events(after: 0, limit: 100).compactMap { event -> ScheduleNews? in
            if case .schedule("hourly", let news) = event.subject { news } else { nil }
        }
        #expect(news == [.added, .paused, .resumed, .removed])
        for request: Request in [
            .changeSchedule("hourly", .pause), .startSchedule("hourly", key: "k2"), .document(.schedule("hourly")),
        ] {
            guard case .refused(let refusal) = try life.ask(request) else { throw Unexpected(answer: "\(request)") }
            #expect(refusal.code == .notFound)
        }
    }

    @Test(
        "Once a pause or a removal is answered, nothing starts any more, also if the record was being asked",
        arguments: [ScheduleChange.pause, .remove]
    )
    func lateStart(change: ScheduleChange) throws {
        let store = try SQLStore(on: MemoryDisk())
        let life = try Life(store, at: Self.start)
        _ = try life.ask(.addSchedule(try settings(), submission()))
        life.coordinator.asksQuestions = false
        life.pass(.seconds(1800))
        #expect(life.coordinator.questions.count == 1)
        #expect(try life.ask(.changeSchedule("hourly", change)) == .changed(ChangeReport(changed: 1)))
        life.coordinator.asksQuestions = true
        life.coordinator.askQuestion()
        life.pass(.seconds(1))
        #expect(try life.jobs().isEmpty)
        #expect(life.coordinator.core.violations == [])
    }

    @Test("SC1 What a schedule cannot start again and again is refused with a sentence, and nothing is stored")
    func refusals() throws {
        let store = try SQLStore(on: MemoryDisk())
        let life = try Life(store, at: Self.start)
        var (open, keyed, dependent, broken) = (submission(), submission(), submission(), submission())
        var tagged = submission()
        tagged.settings.tags["schedule"] = "other"
        open.isOpen = true
        keyed.key = "mine"
        dependent.entries[0].dependencies.append(Dependency(on: .existing(.job(JobNumber(1)))))
        broken.entries[0].template = 7
        let requests: [Request] = [
            .addSchedule(try settings(), keyed), .addSchedule(try settings(), dependent),
            .addSchedule(try settings(), broken), .addSchedule(try settings("a@b"), submission()),
            .addSchedule(try settings(timeZone: "Europe/Nowhere"), submission()),
            .addSchedule(try settings(timeZone: "../../etc/passwd"), submission()),
            .addSchedule(try settings(), tagged),
        ]
        for request in requests {
            guard case .refused(let refusal) = try life.ask(request) else { throw Unexpected(answer: "\(request)") }
            #expect(refusal.code == .invalid)
        }
        #expect(throws: Refusal.self) { try open.checkAsScheduled() }
        #expect(try life.document(ScheduleListDocument.self, .schedules).schedules.isEmpty)
        #expect(try life.ask(.addSchedule(try settings(), submission())) == .changed(ChangeReport(changed: 1)))
        guard case .changed(let repeated) = try life.ask(.addSchedule(try settings(), submission())) else {
            throw Unexpected(answer: "another one")
        }
        #expect(repeated.changed == 0)
        #expect(repeated.notes.count == 1)
        let other = try life.ask(.addSchedule(try settings(cron: "@daily"), submission()))
        guard case .refused(let refusal) = other else { throw Unexpected(answer: "\(other)") }
        #expect(refusal.code == .keyConflict)
    }

    @Test("SC1 A schedule follows the host's clock, which may be set in both directions")
    func clock() throws {
        let store = try SQLStore(on: MemoryDisk())
        let life = try Life(store, at: Self.start)
        _ = try life.ask(.addSchedule(try settings(), submission()))
        life.coordinator.core.hostClockStepped(to: .seconds(1740), at: life.coordinator.now)
        life.pass(.seconds(59))
        #expect(try life.jobs().isEmpty)
        life.pass(.seconds(1))
        #expect(try life.jobs().count == 1)
        life.coordinator.core.hostClockStepped(to: .seconds(1000), at: life.coordinator.now)
        life.pass(.seconds(1000))
        #expect(try life.jobs().count == 1)
        _ = try life.ask(.cancel([.job(JobNumber(1))], queue: nil))
        life.pass(.seconds(3600))
        #expect(try life.jobs().count == 2)
    }
}
