import BatonMemoryDisk
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonTestValues
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonCoordinator

/// Random histories of schedules whose coordinator is killed again and again.
@Suite("Random histories of schedules", .timeLimit(.minutes(60)))
struct ScheduleHistoryTests {
    private static let start = Timestamp(rawValue: 1_795_743_000_000_000)
    private static let seeds: Range<UInt64> = 0..<(Thoroughness.isFull ? 1000 : 20)
    private static let crons = ["* * * * *", "*/7 * * * *", "0,13 * * * *"]

    /// A coordinator on a disk, and one client.
    private final class History {
        private let disk = MemoryDisk()
        private(set) var store: SQLStore
        private var coordinator: SteppedCoordinator
        private var lastRequest: UInt64 = 0
        var now: Timestamp { coordinator.now }

        init(at now: Timestamp) throws {
            store = try SQLStore(on: disk)
            coordinator = try SteppedCoordinator(store, at: now)
            coordinator.settle(flushes: true)
        }

        func ask(_ request: Request) throws {
            lastRequest += 1
            coordinator.ask(request, lastRequest, from: try #require(RoutingID([1])))
            coordinator.settle(flushes: true)
        }

        /// Lets time pass; the coordinator wakes when it wants to.
        func pass(_ time: Duration) {
            let end = now + time
            while now < end {
                coordinator.now = min(end, max(coordinator.core.nextDeadline, now + .milliseconds(10)))
                coordinator.settle()
            }
        }

        /// Kills the coordinator after some turns at a later moment, and starts another one after a while.
        func kill(after turns: Int, in time: Duration, absence: Duration) throws {
            coordinator.now = now + time
            for _ in 0..<turns { coordinator.endTurn() }
            store.close()
            store = try SQLStore(on: disk)
            coordinator = try SteppedCoordinator(store, at: now + absence)
            coordinator.settle(flushes: true)
        }

        /// The present state of the schedules, by name.
        func schedules() throws -> [String: ScheduleRecord] {
            store.close()
            store = try SQLStore(on: disk)
            return try store.open().schedules
        }

        var violations: [String] { coordinator.core.violations }
    }

    @Test("SC1 Over kills at any moment, each time of a schedule has one job, or waits for its turn", arguments: seeds)
    func kills(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let history = try History(at: Self.start)
        var settings: [ScheduleSettings] = []
        for (position, cron) in Self.crons.enumerated() {
            let overlap: ScheduleOverlap = position == 0 ? .queue : .skip
            let name = "s\(position)"
            settings.append(ScheduleSettings(name: name, cron: try CronExpression(cron), overlap: overlap))
            var submission = Submission(templates: [Template(work: Work(.noOperation))], entries: [Entry()])
            // There is no worker: the jobs of the first one go on until somebody cancels them, the others end before their next times.
            if position > 0 { submission.settings.deadline = .seconds(1) }
            try history.ask(.addSchedule(settings[position], submission))
        }
        for _ in 0..<60 {
            switch random.next() % 4 {
            case 0: history.pass(.milliseconds(Int64(random.next() % 120_000)))
            case 1: history.pass(.milliseconds(Int64(random.next() % 3_000)))
            case 2:
                // Shorter than what makes a time a missed one.
                let time = Duration.milliseconds(Int64(random.next() % 5_000))
                let absence = Duration.milliseconds(Int64(random.next() % 50_000) + 1)
                try history.kill(after: Int(random.next() % 4), in: time, absence: absence)
            default: try history.ask(.cancel([.job(JobNumber(UInt32(random.next() % 30) + 1))], queue: nil))
            }
            #expect(history.violations == [])
        }
        history.pass(.seconds(1))
        try check(history, settings)
    }

    /// Checks that each time up to the last decision has one job or waits, and that there are no other jobs.
    private func check(_ history: History, _ settings: [ScheduleSettings]) throws {
        let schedules = try history.schedules()
        var known: Set<JobNumber> = []
        for setting in settings {
            let schedule = try #require(schedules[setting.name])
            let times = ScheduleTimes(setting.cron, in: .utc)
            var time = Self.start
            while let next = times.next(after: time), next <= schedule.state.decidedUntil {
                time = next
                let job = try history.store.job(withKey: setting.key(at: next))
                #expect((job == nil) == schedule.state.waiting.contains(next), "\(setting.name) at \(next)")
                if let job { #expect(known.insert(job.number).inserted, "\(setting.name) at \(next)") }
            }
            let due = times.last(after: Self.start, through: history.now)
            #expect(due == nil || schedule.state.decidedUntil == due, "\(setting.name) lags behind")
        }
        #expect(try history.store.jobCount(before: JobNumber(.max)) == known.count)
    }
}
