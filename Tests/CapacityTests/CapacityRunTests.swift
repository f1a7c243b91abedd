@_spi(Baton) import BatonBenchmarks
@testable import BatonCapacity
import Testing

@Suite("Capacity", .timeLimit(.minutes(60)))
struct CapacityRunTests {
    private static func plan(_ workers: Int, _ slots: Int, _ operations: Int, _ job: Int) -> CapacityPlan {
        var plan = CapacityPlan()
        plan.workers = workers
        plan.slots = slots
        plan.operations = operations
        plan.operationsOfJob = job
        return plan
    }

    /// Checks that the parts of a run belong together.
    private static func check(_ report: CapacityReport) {
        #expect(report.contradictions == [])
        var kinds = Phase.Kind.allCases
        if !report.plan.hasFailover { kinds.removeAll { $0 == .failover || $0 == .afterFailover } }
        #expect(report.phases.map(\.kind) == kinds)
        let received = report.phases.reduce(0) { $0 + $1.usage.received }
        let jobs = report.plan.jobs
        #expect(jobs.reduce(0, +) == report.plan.operations)
        #expect(report[.submission]?.usage.received == jobs.count)
        // Each job is a request, and each worker says hello; with a failover once more, with and without the proof.
        let hellos = report.plan.workers * (report.plan.hasFailover ? 3 : 1)
        #expect(received >= jobs.count + hellos)
        for phase in report.phases {
            #expect(phase.usage.longestTurn <= phase.usage.deciding, "\(phase.kind)")
            #expect(phase.recordSize > 0, "\(phase.kind)")
        }
        // Each operation is recorded at its dispatch or its end at least.
        #expect(report.phases.reduce(0) { $0 + $1.usage.changes } >= jobs.count)
    }

    @Test("A hundred workers run 10,000 operations, each once, although the coordinator is lost in the middle")
    func failover() throws {
        let report = try CapacityRun.measure(Self.plan(100, 4, 10_000, 3000))
        Self.check(report)
        let failover = try #require(report.failover)
        #expect(failover.unfinished > 0 && failover.unfinished <= 5000)
        // The second coordinator leads after the lease of the first coordinator has ended. Then the workers come back, and the second
        // coordinator gives them operations.
        #expect(failover.untilLeading >= .seconds(2))
        #expect(failover.untilBack > failover.untilLeading)
        #expect(failover.untilStarts >= failover.untilBack)
        // Every worker is asked for a proof, and says hello twice.
        let part = try #require(report[.failover])
        #expect(part.usage.received >= 200)
        #expect(report[.beforeFailover].map { $0.ended >= 5000 } == true)
    }

    @Test("The sums are right for other shapes and sizes, also where workers are sent short operations ahead")
    func otherRuns() throws {
        let sizes = [(1, 1, 40, 7), (3, 2, 300, 300), (40, 8, 2000, 999)]
        for (workers, slots, operations, job) in sizes {
            for shape in [Workload.Shape.array, .graph, .layers] {
                for milliseconds in [20, 1500] {
                    var plan = Self.plan(workers, slots, operations, job)
                    plan.shape = shape
                    plan.duration = .milliseconds(milliseconds)
                    plan.seed = UInt64(workers + milliseconds)
                    Self.check(try CapacityRun.measure(plan))
                }
            }
        }
    }

    @Test("A run without a failover has no such part, and all operations in one")
    func withoutFailover() throws {
        var plan = Self.plan(20, 4, 1000, 250)
        plan.hasFailover = false
        let report = try CapacityRun.measure(plan)
        Self.check(report)
        #expect(report.failover == nil)
        #expect(report[.beforeFailover]?.ended == 1000)
    }

    @Test("The same seed gives the same messages and ends, and another seed others")
    func repetition() throws {
        func messages(seed: UInt64) throws -> [Int] {
            var plan = Self.plan(10, 2, 400, 100)
            plan.hasFailover = false
            plan.seed = seed
            return try CapacityRun.measure(plan).phases.flatMap { [$0.usage.received, $0.usage.sent, $0.ended] }
        }
        let first = try messages(seed: 1)
        #expect(try messages(seed: 1) == first)
        #expect(try messages(seed: 2) != first)
    }

    @Test("An idle cluster sends its heartbeats, and each is answered")
    func idle() throws {
        let report = try CapacityRun.measure(Self.plan(50, 1, 100, 100))
        let idle = try #require(report[.idle])
        let interval = 2
        let expected = 50 * Int(report.plan.idleTime.components.seconds) / interval
        #expect(idle.usage.received >= expected / 2)
        #expect(idle.usage.sent >= idle.usage.received)
    }

    @Test("The tables have a row for each part and each finding, with as many cells as the head")
    func tables() throws {
        let report = try CapacityRun.measure(Self.plan(5, 2, 100, 50))
        let lines = report.markdown.split(separator: "\n")
        for phase in report.phases { #expect(lines.count { $0.hasPrefix("| \(phase.kind.rawValue) |") } == 1) }
        for finding in report.findings { #expect(lines.count { $0.hasPrefix("| \(finding.what) |") } == 1) }
        let cells = lines.filter { $0.hasPrefix("|") }.map { $0.count { $0 == "|" } }
        #expect(Set(cells) == [11, 4])
        #expect(cells.count == report.phases.count + report.findings.count + 4)
    }

    @Test("A report whose numbers do not add up says so")
    func contradictions() throws {
        let good = try CapacityRun.measure(Self.plan(5, 2, 100, 50))
        #expect(good.contradictions == [])
        let bad = CapacityReport(
            plan: good.plan,
            phases: good.phases,
            failover: good.failover,
            started: 101,
            startedAgain: 1,
            ended: 99,
            endedAgain: 0,
            unended: 1,
            recorded: 100,
            unfinishedJobs: 0,
            violations: ["worker 1 is stopped"]
        )
        #expect(bad.contradictions.count == 5)
    }
}
