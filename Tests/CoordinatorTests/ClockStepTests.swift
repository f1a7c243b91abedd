@_spi(Baton) import BatonDocuments
import BatonMemoryDisk
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
import Foundation
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonCoordinator

/// A host whose clock is set, or that is suspended, while its coordinator runs.
@Suite("Steps of the host's clock", .timeLimit(.minutes(60)))
struct ClockStepTests {
    private static let start = Timestamp(rawValue: 1_700_000_000_000_000)
    /// The seconds of a year.
    private static let year: Int64 = 31_556_952
    /// Corrections of a clock that was wrong by ten years or by a little, and a night's sleep.
    private static let jumps: [Duration] = [
        .zero - .seconds(3650 * 86_400), .zero - .seconds(5), .milliseconds(80), .seconds(8 * 3600),
        .seconds(3650 * 86_400),
    ]

    /// A coordinator whose time the test passes.
    private final class Life {
        let coordinator: SteppedCoordinator
        private let client = RoutingID([1])
        private var lastRequest: UInt64 = 0

        init(_ store: any Store, at now: Timestamp) throws {
            coordinator = try SteppedCoordinator(store, at: now)
            coordinator.settle()
        }

        func ask(_ request: Request) throws -> Reply {
            lastRequest += 1
            coordinator.ask(request, lastRequest, from: try #require(client))
            coordinator.settle(flushes: true)
            return try #require(try coordinator.takeReplies().last).reply
        }

        func document<Value: Document>(_ type: Value.Type, _ request: DocumentRequest) throws -> Value {
            let reply = try ask(.document(request))
            guard case .document(let json) = reply else { throw Unexpected(answer: "\(reply)") }
            return try JSONDecoder().decode(Value.self, from: Data(json))
        }

        func submit(delay: Duration? = nil) throws -> JobNumber {
            var entry = Entry()
            entry.delay = delay
            let submission = Submission(templates: [Template(work: Work(.noOperation))], entries: [entry])
            let reply = try ask(.submit(submission))
            guard case .job(let job, _, _) = reply else { throw Unexpected(answer: "\(reply)") }
            return job
        }

        func submit(toQueue queue: String, count: Int) throws -> JobNumber {
            let submission = Submission(
                queueNames: [queue],
                templates: [Template(work: Work(.noOperation))],
                entries: [Entry](repeating: Entry(), count: count)
            )
            let reply = try ask(.submit(submission))
            guard case .job(let job, _, _) = reply else { throw Unexpected(answer: "\(reply)") }
            return job
        }

        func cancel(_ index: UInt32, of job: JobNumber) throws {
            let reply = try ask(.cancel([.operation(OperationID(job: job, index: index))], queue: nil))
            guard case .changed = reply else { throw Unexpected(answer: "\(reply)") }
        }

        /// What a wait for a queue that began at a moment, or begins now, tells at once.
        func wait(forQueue queue: String, since began: RecordMoment? = nil) throws -> WaitProgress {
            let reply = try ask(.wait([], queue: queue, atMost: .zero, waiter: nil, since: began))
            guard case .progress(let progress) = reply else { throw Unexpected(answer: "\(reply)") }
            return progress
        }

        func pass(_ time: Duration) {
            let end = coordinator.now + time
            while coordinator.now < end {
                coordinator.now = min(end, max(coordinator.core.nextDeadline, coordinator.now + .milliseconds(1)))
                coordinator.core.wokeUp(at: coordinator.now, expected: coordinator.now)
                coordinator.settle()
            }
        }

        func step(to ahead: Duration) {
            coordinator.core.hostClockStepped(to: ahead, at: coordinator.now)
            coordinator.settle(flushes: true)
        }

        /// Stops the coordinator in an orderly way.
        func stop() {
            coordinator.core.commitClock()
            coordinator.core.flush()
            coordinator.settle()
        }

        func isWaiting(_ job: JobNumber) -> Bool {
            coordinator.core.scheduler.record(of: OperationID(job: job, index: 0))?.state == .pending
        }
    }

    @Test("D6 A step of the host's clock changes no wait, and the times that users see follow it", arguments: jumps)
    func follows(_ step: Duration) throws {
        let store = try SQLStore(on: MemoryDisk())
        let life = try Life(store, at: Self.start)
        let delayed = try life.submit(delay: .seconds(60))
        life.pass(.seconds(10))
        life.step(to: step)
        let later = try life.submit(delay: .seconds(60))
        #expect(try life.document(StatusDocument.self, .status).time == Self.start + .seconds(10) + step)
        #expect(try life.document(StatusDocument.self, .status).uptimeSeconds == 10)
        // What has not ended moves along, so that the time since then stays right.
        #expect(try store.job(delayed)?.submittedAt == Self.start + step)
        #expect(try store.job(later)?.submittedAt == Self.start + .seconds(10) + step)
        let overview = try life.document(OverviewDocument.self, .overview(jobs: 9))
        #expect(overview.jobs.map(\.submittedAt) == [Self.start + .seconds(10) + step, Self.start + step])
        let address = Address.operation(OperationID(job: delayed, index: 0))
        let reasons = try life.document(ExplainDocument.self, .explain(address)).waitsFor
        #expect(reasons.first?.until == Self.start + .seconds(60) + step)
        // The waits end when they would have ended.
        life.pass(.milliseconds(49_990))
        #expect(life.isWaiting(delayed) && life.isWaiting(later))
        life.pass(.milliseconds(20))
        #expect(!life.isWaiting(delayed) && life.isWaiting(later))
        let ready = try life.document(OperationDocument.self, .operation(address))
        #expect(ready.readyAt.map { abs(($0 - (Self.start + .seconds(60) + step)).microseconds) < 20_000 } == true)
        life.pass(.seconds(10))
        #expect(!life.isWaiting(later))
    }

    @Test(
        "A step to a time that cannot be kept changes no time, and the record stays readable",
        arguments: [.zero - .seconds(7_000 * year), .zero - .seconds(54 * year), .seconds(28_000 * year)] as [Duration]
    )
    func cannotBeKept(_ step: Duration) throws {
        let disk = MemoryDisk()
        var store = try SQLStore(on: disk)
        var life = try Life(store, at: Self.start)
        let earlier = try life.submit(delay: .seconds(3600))
        life.pass(.seconds(10))
        let now = life.coordinator.now
        life.step(to: step)
        let later = try life.submit(delay: .seconds(3600))
        #expect(try life.document(StatusDocument.self, .status).time == now)
        #expect(try store.job(earlier)?.submittedAt == Self.start)
        #expect(try store.job(later)?.submittedAt == now)
        // The clock is right again.
        life.step(to: .zero)
        #expect(try life.document(StatusDocument.self, .status).time == now)
        life.stop()
        store.close()
        store = try SQLStore(on: disk)
        life = try Life(store, at: now + .seconds(1))
        let jobs = try life.document(OverviewDocument.self, .overview(jobs: 9)).jobs
        #expect(jobs.map(\.submittedAt) == [now, Self.start])
        let events = try store.events(after: 0, limit: 99)
        #expect(events.allSatisfy { if case .clockStepped = $0.subject { false } else { true } })
    }

    @Test(
        "A coordinator does not start at a time that cannot be kept",
        arguments: [
            (-1, "1969-12-31 23:59:59 UTC"), (253_402_300_800_000_000, "10000-01-01 00:00:00 UTC"),
        ] as [(Int64, String)]
    )
    func refused(_ microseconds: Int64, _ text: String) throws {
        let error = try #require(CoordinatorError.objection(toTimeOfDay: Timestamp(rawValue: microseconds)))
        #expect((error.code, error.mayPass) == (.clock, true))
        #expect(error.message.contains(text), "\(error)")
    }

    @Test("A coordinator starts at each time that can be kept", arguments: [0, 253_402_300_799_999_999] as [Int64])
    func admitted(_ microseconds: Int64) {
        #expect(CoordinatorError.objection(toTimeOfDay: Timestamp(rawValue: microseconds)) == nil)
    }

    @Test(
        "D6 A step is an event, in the order of the numbers, and a restart after it keeps what waits",
        arguments: jumps
    )
    func recorded(_ step: Duration) throws {
        let store = try SQLStore(on: MemoryDisk())
        var life = try Life(store, at: Self.start)
        let delayed = try life.submit(delay: .seconds(60))
        life.pass(.seconds(5))
        life.step(to: step)
        life.pass(.seconds(5))
        life.step(to: step + .seconds(7))
        _ = try life.submit()
        let events = try store.events(after: 0, limit: 99)
        #expect(events.map(\.sequence) == events.map(\.sequence).sorted())
        let steps = events.compactMap { event -> ClusterEvent? in
            if case .clockStepped = event.subject { event } else { nil }
        }
        #expect(steps.map(\.subject) == [.clockStepped(step), .clockStepped(.seconds(7))])
        #expect(steps.map(\.time) == [Self.start + .seconds(5) + step, Self.start + .seconds(17) + step])
        // A coordinator that starts with the host's present clock goes on where the record's own clock was.
        life.stop()
        life = try Life(store, at: life.coordinator.now + step + .seconds(7))
        #expect(life.isWaiting(delayed))
        life.pass(.milliseconds(49_900))
        #expect(life.isWaiting(delayed))
        life.pass(.milliseconds(200))
        #expect(!life.isWaiting(delayed))
    }

    @Test("WA5 A wait for a queue misses no end over a step there and back and a restart", arguments: jumps)
    func queueWait(_ step: Duration) throws {
        let disk = MemoryDisk()
        var store = try SQLStore(on: disk)
        var life = try Life(store, at: Self.start)
        let job = try life.submit(toQueue: "q", count: 2)
        life.pass(.seconds(10))
        var progress = try life.wait(forQueue: "q")
        #expect(!progress.isFinished && progress.counts.cancelled == 0)
        life.step(to: step)
        try life.cancel(0, of: job)
        life.step(to: .zero)
        progress = try life.wait(forQueue: "q", since: progress.began)
        #expect(!progress.isFinished && progress.counts.cancelled == 1)
        life.stop()
        store.close()
        store = try SQLStore(on: disk)
        life = try Life(store, at: life.coordinator.now + .seconds(1))
        try life.cancel(1, of: job)
        progress = try life.wait(forQueue: "q", since: progress.began)
        #expect(progress.isFinished && progress.counts.cancelled == 2)
    }

    @Test("An unfinished job of an earlier run keeps the time of its submission over a step", arguments: jumps)
    func earlierJob(_ step: Duration) throws {
        let disk = MemoryDisk()
        var store = try SQLStore(on: disk)
        var life = try Life(store, at: Self.start)
        let earlier = try life.submit(delay: .seconds(3600))
        life.stop()
        store.close()
        store = try SQLStore(on: disk)
        // The next run begins with a clock that is wrong, and set right later.
        let next = Self.start + .seconds(100)
        life = try Life(store, at: next + (.zero - step))
        life.pass(.seconds(10))
        let later = try life.submit(delay: .seconds(3600))
        life.step(to: step)
        let jobs = try life.document(OverviewDocument.self, .overview(jobs: 9)).jobs
        #expect(jobs.map(\.job) == [later, earlier])
        #expect(jobs.map(\.submittedAt) == [next + .seconds(10), Self.start])
    }

    /// The waits of a summary were shorter by the time without a coordinator.
    @Test(
        "D6 What has been ready since its submission or addition keeps that moment over restarts",
        arguments: [false, true]
    )
    func readySinceSubmission(isOrderly: Bool) throws {
        let disk = MemoryDisk()
        var store = try SQLStore(on: disk)
        var life = try Life(store, at: Self.start)
        let many = try life.submit(toQueue: "q", count: 2)
        var open = Submission(templates: [Template(work: Work(.noOperation))], entries: [Entry()])
        open.isOpen = true
        guard case .job(let growing, _, _) = try life.ask(.submit(open)) else {
            Issue.record("the open job is refused")
            return
        }
        life.pass(.seconds(10))
        let addition = Submission(templates: [Template(work: Work(.noOperation))], entries: [Entry()])
        guard case .added = try life.ask(.add(addition, to: growing)) else {
            Issue.record("the addition is refused")
            return
        }
        for _ in 0..<3 {
            for (job, index, seconds) in [(many, 0, 0), (many, 1, 0), (growing, 0, 0), (growing, 1, 10)] {
                let id = OperationID(job: job, index: UInt32(index))
                let shown = try life.document(OperationDocument.self, .operation(.operation(id)))
                #expect(shown.state == .ready && shown.readyAt == Self.start + .seconds(seconds), "\(id)")
                #expect(shown.submittedAt == shown.readyAt, "\(id)")
            }
            life.pass(.seconds(7))
            if isOrderly { life.stop() }
            store.close()
            store = try SQLStore(on: disk)
            life = try Life(store, at: life.coordinator.now + .seconds(100))
        }
    }

    @Test(
        "D6 Times of a run with a clock that was ahead move back at a start with the right clock, and an event tells it once",
        arguments: [Duration.seconds(3600), .seconds(3650 * 86_400)]
    )
    func aheadBefore(_ error: Duration) throws {
        let disk = MemoryDisk()
        var store = try SQLStore(on: disk)
        var life = try Life(store, at: Self.start + error)
        let job = try life.submit()
        life.pass(.seconds(20))
        life.stop()
        let now = Self.start + .seconds(21)
        for restart in 0..<2 {
            store.close()
            store = try SQLStore(on: disk)
            life = try Life(store, at: now + .seconds(10 * restart))
            let began = now + .seconds(-20) + .microseconds(-1)
            #expect(try store.job(job)?.submittedAt == began)
            let address = Address.operation(OperationID(job: job, index: 0))
            #expect(try life.document(OperationDocument.self, .operation(address)).readyAt == began)
            life.stop()
        }
        let steps = try store.events(after: 0, limit: 99).filter { event in
            if case .clockStepped = event.subject { true } else { false }
        }
        #expect(steps.map(\.subject) == [.clockStepped(.seconds(1) - error + .microseconds(-1))])
        #expect(steps.map(\.time) == [now])
    }

    @Test("D6 A clock that was behind at the start, and is set right, leaves times of earlier runs as they were")
    func behindAtStart() throws {
        let disk = MemoryDisk()
        var store = try SQLStore(on: disk)
        var life = try Life(store, at: Self.start)
        let job = try life.submit()
        life.pass(.seconds(20))
        life.stop()
        store.close()
        store = try SQLStore(on: disk)
        let behind = Duration.seconds(3650 * 86_400)
        life = try Life(store, at: Self.start + (.seconds(100) - behind))
        let operation = OperationID(job: job, index: 0)
        func readyAt() throws -> Timestamp? {
            try life.document(OperationDocument.self, .operation(.operation(operation))).readyAt
        }
        #expect(try readyAt() == life.coordinator.now + .seconds(-20) + .microseconds(-1))
        life.pass(.seconds(5))
        life.step(to: behind)
        #expect(try readyAt() == Self.start)
        #expect(try store.job(job)?.submittedAt == Self.start)
        // A change that is written later has the same times.
        _ = try life.ask(.hold([.operation(operation)]))
        _ = try life.ask(.release([.operation(operation)]))
        #expect(try store.job(job)?.submittedAt == Self.start)
    }

    @Test("A commit that spans a step has each time by the clock of its moment", arguments: jumps)
    func spanning(_ step: Duration) throws {
        let store = try SQLStore(on: MemoryDisk())
        let life = try Life(store, at: Self.start)
        life.coordinator.storesChanges = false
        var entry = Entry()
        entry.delay = .seconds(60)
        let submission = Submission(templates: [Template(work: Work(.noOperation))], entries: [entry])
        let client = try #require(RoutingID([1]))
        life.coordinator.ask(.submit(submission), 1, from: client)
        life.coordinator.settle(flushes: true)
        life.step(to: step)
        life.coordinator.ask(.submit(submission), 2, from: client)
        life.coordinator.settle(flushes: true)
        life.coordinator.storeChanges()
        #expect(try store.job(JobNumber(1))?.submittedAt == Self.start + step)
        #expect(try store.job(JobNumber(2))?.submittedAt == Self.start + step)
        // By the record's clock, both wait equally long.
        for job in UInt32(1)...2 {
            let restored = try #require(try store.restoredJob(JobNumber(job)))
            #expect(restored.job.submittedAt == Self.start)
        }
    }

    @Test("Times of earlier runs stay when a wrong clock is corrected, also if they are in the future")
    func earlierRuns() {
        let now = Self.start + .seconds(100)
        let time = ShownTime(start: Self.start, now: now, ahead: .seconds(1_000_000))
        #expect(time.past(Self.start + .seconds(1)) == Self.start + .seconds(1_000_001))
        #expect(time.past(Self.start + .seconds(-1)) == Self.start + .seconds(-1))
        #expect(time.past(now + .seconds(1)) == now + .seconds(1))
        #expect(time.future(now + .seconds(1)) == now + .seconds(1_000_001))
    }

    @Test("A set clock and a suspended host are told apart, and what is read one after the other is no step")
    func steps() {
        func reading(_ timeOfDay: Int64, _ elapsed: Int64, _ sinceBoot: Int64) -> ClockSteps.Reading {
            ClockSteps.Reading(
                timeOfDay: 1_000_000_000 + timeOfDay * 1000,
                elapsed: elapsed * 1000,
                sinceBoot: 500_000 + sinceBoot * 1000
            )
        }
        var steps = ClockSteps(at: reading(0, 0, 0))
        #expect(!steps.isStep(reading(1000, 1000, 1000)) && steps.take(reading(1000, 1000, 1000)) == nil)
        #expect(steps.take(reading(2049, 2000, 2000)) == nil)
        #expect(
            steps.take(reading(2900, 3000, 3000)) == ClockSteps.Step(ahead: .milliseconds(-100), suspended: .zero)
        )
        #expect(steps.take(reading(3900, 4000, 4000)) == nil)
        // An hour asleep, with the clock right afterwards.
        let asleep = ClockSteps.Step(ahead: .milliseconds(3_599_900), suspended: .seconds(3600))
        #expect(steps.take(reading(3_604_900, 5000, 3_605_000)) == asleep)
        #expect(steps.take(reading(3_605_900, 6000, 3_606_000)) == nil)
    }
}
