import BatonMemoryDisk
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonTestValues
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonCoordinator

/// A chain of operations that a schedule starts each night, over both changes of the clocks in a year.
@Suite("A nightly chain over changes of the clock", .timeLimit(.minutes(60)))
struct NightlyChainTests {
    /// A place, its clocks, and when the chain starts there.
    struct Place: CustomTestStringConvertible, Sendable {
        var name: String
        /// The rule of the time zone, as at the end of a file of the time zone database.
        var rule: String
        var cron: String
        /// The minutes of the day in UTC at which the chain starts in summer and in winter.
        var summer, winter: Int64
        /// The days since 1970 in whose nights the clocks change, and the starts then.
        var autumn, spring: (day: Int64, start: Int64)

        var testDescription: String { "\(name), \(cron)" }

        /// The start in the night of a day since 1970, between the summer before the autumn and that after the spring.
        func start(on day: Int64) -> Timestamp {
            let minutes =
                switch day {
                case autumn.day: autumn.start
                case spring.day: spring.start
                case autumn.day...spring.day: winter
                default: summer
                }
            return Timestamp(rawValue: (day * 24 * 60 + minutes) * 60_000_000)
        }
    }

    private static let places = [
        // On 25 October 2026 2:30 comes twice, and on 28 March 2027 never: the clocks go from 2:00 to 3:00.
        Place(
            name: "Berlin",
            rule: "CET-1CEST,M3.5.0,M10.5.0/3",
            cron: "30 2 * * *",
            summer: 30,
            winter: 90,
            autumn: (20_751, 30),
            spring: (20_905, 60)
        ),
        // On 1 November 2026 1:30 comes twice; 14 March 2027 has it.
        Place(
            name: "New York",
            rule: "EST5EDT,M3.2.0,M11.1.0",
            cron: "30 1 * * *",
            summer: 330,
            winter: 390,
            autumn: (20_758, 330),
            spring: (20_891, 390)
        ),
        // On 1 November 2026 2:30 comes once, and on 14 March 2027 never.
        Place(
            name: "New York",
            rule: "EST5EDT,M3.2.0,M11.1.0",
            cron: "30 2 * * *",
            summer: 390,
            winter: 450,
            autumn: (20_758, 450),
            spring: (20_891, 420)
        ),
    ]
    /// The nights from 19 October 2026 to 2 April 2027.
    private static let nights: Range<Int64> = 20_745..<20_911
    private static let seeds: Range<UInt64> = 0..<(Thoroughness.isFull ? 20 : 2)

    /// A coordinator on a disk whose times a test passes, a client, and workers that succeed at once.
    private final class Host {
        private let disk = MemoryDisk()
        private let timeZones: TimeZoneSource
        private let client, worker: RoutingID
        private var coordinator: SteppedCoordinator
        private var sessionCount: UInt64 = 0
        private(set) var store: SQLStore

        init(at now: Timestamp, rule: String) throws {
            let file = Self.file(rule: rule)
            timeZones = TimeZoneSource { _ in file }
            client = try #require(RoutingID([1]))
            worker = try #require(RoutingID([2]))
            store = try SQLStore(on: disk)
            coordinator = try SteppedCoordinator(store, at: now, timeZones: timeZones)
            coordinator.settle(flushes: true)
        }

        /// A file of the time zone database for a zone that has had one rule all the time.
        private static func file(rule: String) -> [UInt8] {
            let header = Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15 + 4 * 4) + [0, 0, 0, 1, 0, 0, 0, 4]
            let kind = [UInt8](repeating: 0, count: 6) + Array("LMT\0".utf8)
            return header + kind + header + kind + Array("\n\(rule)\n".utf8)
        }

        var now: Timestamp { coordinator.now }
        var violations: [String] { coordinator.core.violations }

        func ask(_ request: Request) throws -> Reply {
            coordinator.ask(request, 1, from: client)
            coordinator.settle(flushes: true)
            return try #require(try coordinator.takeReplies().last).reply
        }

        /// Lets the time pass up to a moment, unless it has come, and runs all operations that are ready then.
        func pass(to moment: Timestamp) throws {
            coordinator.now = max(coordinator.now, moment)
            coordinator.settle(flushes: true)
            try runReadyOperations()
        }

        func pass(_ time: Duration) throws { try pass(to: coordinator.now + time) }

        /// Lets a new worker join that has one slot.
        private func join() -> SessionID {
            sessionCount += 1
            let session = SessionID(rawValue: sessionCount)
            coordinator.join("w\(sessionCount)", session, from: worker)
            return session
        }

        /// Lets a worker join, run what it is sent until nothing more comes, and leave.
        ///
        /// A worker that stayed would be lost in each night, because it is silent.
        private func runReadyOperations() throws {
            _ = coordinator.takeMessages()
            let session = join()
            while true {
                var completions: [Completion] = []
                for (bytes, peer) in coordinator.takeMessages() where peer == worker {
                    let message = try bytes.withUnsafeBytes { try CoordinatorMessage(decoding: $0) }
                    guard case .dispatch(let batch) = message else { continue }
                    for assignment in batch.items.map(\.assignment) {
                        completions.append(
                            Completion(
                                token: assignment.token,
                                operation: assignment.operation,
                                result: AttemptResult(end: .exited(0))
                            )
                        )
                    }
                }
                if completions.isEmpty { break }
                tell(.report(session, AttemptReport(completions: completions)))
            }
            tell(.goodbye(session))
        }

        private func tell(_ message: WorkerMessage) {
            coordinator.receive(message.encoded(), from: worker)
            coordinator.settle(flushes: true)
        }

        /// Sets the host's clock so far ahead of the right time.
        func setClock(ahead: Duration) {
            coordinator.core.hostClockStepped(to: ahead, at: coordinator.now)
            coordinator.settle(flushes: true)
        }

        /// Kills the coordinator some turns after a moment, and starts another one after a while.
        ///
        /// What its worker was sent by then is lost.
        func kill(at moment: Timestamp, after turns: Int, absence: Duration) throws {
            _ = join()
            coordinator.now = max(coordinator.now, moment)
            for _ in 0..<turns { coordinator.endTurn() }
            store.close()
            store = try SQLStore(on: disk)
            coordinator = try SteppedCoordinator(store, at: coordinator.now + absence, timeZones: timeZones)
            coordinator.settle(flushes: true)
        }
    }

    /// Three operations, each of which needs the one before.
    private func chain() -> Submission {
        let entries = ["fetch", "build", "report"].enumerated().map { position, name in
            let needs = Dependency(on: .entry(position - 1), condition: .success)
            return Entry(name: name, dependencies: position == 0 ? [] : [needs])
        }
        return Submission(templates: [Template(work: Work(.noOperation))], entries: entries)
    }

    @Test(
        "SC1 SC2 A chain runs once each night, over changes of the clocks, kills, absences and a clock that is set wrong",
        arguments: places,
        seeds
    )
    func once(place: Place, seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let host = try Host(at: place.start(on: Self.nights.lowerBound - 1) + .seconds(8 * 3600), rule: place.rule)
        let settings = ScheduleSettings(
            name: "nightly",
            cron: try CronExpression(place.cron),
            timeZone: "Test/Place"
        )
        #expect(try host.ask(.addSchedule(settings, chain())) == .changed(ChangeReport(changed: 1)))
        for night in Self.nights {
            let start = place.start(on: night)
            try host.pass(to: start.before(microseconds: Int64(random.next() % 7_200_000_000)))
            let time = Duration.seconds(Int64(random.next() % 10_800))
            let turns = Int(random.next() % 4)
            switch random.next() % 5 {
            case 0: try host.kill(at: host.now, after: turns, absence: time)
            case 1: try host.kill(at: start, after: turns, absence: time)
            case 2, 3:
                // Until it is set right, the clock shows some times that come again, or leaves some out.
                host.setClock(ahead: random.next().isMultiple(of: 2) ? time : Duration.zero - time)
                try host.pass(.seconds(Int64(random.next() % 3600)))
                host.setClock(ahead: .zero)
            default: break
            }
            try host.pass(to: start)
            try host.pass(to: start + .seconds(4 * 3600))
            let job = try #require(try host.store.job(withKey: settings.key(at: start)), "the night of day \(night)")
            #expect(Int64(job.number.rawValue) == night - Self.nights.lowerBound + 1)
            #expect(job.operations == 3 && job.counts?.succeeded == 3)
            #expect(host.violations == [])
        }
    }
}
