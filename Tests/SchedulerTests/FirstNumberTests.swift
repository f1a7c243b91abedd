@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

/// The first numbers of attempts after a crash of the coordinator and its workers.
///
/// The first number of everything unfinished was passed over, and what had never been sent ran as attempt 2: `{attempt}` in the
/// path of an output was 2, and a script with `[ $BATON_ATTEMPT -gt 1 ]` took its first run for a repetition.
@Suite("First numbers of attempts after a restart", .timeLimit(.minutes(60)))
struct FirstNumberTests {
    private static let job = JobNumber(2)

    /// A cluster with a running operation of job 1, and others of job 2 that wait; nothing is sent ahead.
    private static func cluster() -> Cluster {
        var cluster = Cluster(Configuration(sendAhead: .atMost(0)))
        cluster.join("w1")
        cluster.submit(.op())
        cluster.submit(
            .op(),
            .op(delay: .seconds(100)),
            .op(on: .after(0)),
            .op(on: .needs(1)),
            .op(on: .needs(2), .after(3)),
            .op(),
            .op(on: .after(JobNumber(1) / 0))
        )
        cluster.hold(.operation(job / 0))
        cluster.submit(.op(on: Dependency(on: .existing(.job(job)))))
        return cluster
    }

    /// Kills the coordinator and the worker, whose successor knows of no attempt.
    private static func crash(_ cluster: inout Cluster, life: Int32) {
        cluster.restart()
        cluster.join("w1", slots: 9, processID: life)
        cluster.pass(.seconds(60))
    }

    /// Lets everything run, and returns the numbers of the attempts in job 2 and job 3.
    private static func finish(_ cluster: inout Cluster) -> [UInt32?] {
        cluster.release(.operation(job / 0))
        for _ in 0..<5 {
            cluster.pass(.seconds(60))
            cluster.finishAll()
        }
        return (0..<7).map { cluster.last(job / $0)?.attempt } + [cluster.last(JobNumber(3) / 0)?.attempt]
    }

    @Test("D3 No number is passed over for what was held, delayed or behind such an operation")
    func unsent() {
        var cluster = Self.cluster()
        Self.crash(&cluster, life: 8)
        #expect(Self.finish(&cluster) == [1, 1, 1, 1, 1, 2, 2, 1])
    }

    @Test("D3 What is held begins with 1 after any number of crashes")
    func unsentAgain() {
        var cluster = Self.cluster()
        for life in Int32(8)...10 { Self.crash(&cluster, life: life) }
        let attempts = Self.finish(&cluster)
        #expect(attempts[0] == 1 && attempts[7] == 1 && attempts[5...6].allSatisfy { $0 ?? 0 >= 2 }, "\(attempts)")
    }

    /// A request that keeps an operation from being sent.
    enum Keeping: CaseIterable {
        case hold, depend
    }

    @Test("D3 A passed-over number stays so, whatever keeps the operation after that", arguments: Keeping.allCases)
    func passedOver(_ way: Keeping) {
        var cluster = Self.cluster()
        let maybe = Self.job / 5
        cluster.restart()
        cluster.join("w1", processID: 8)
        #expect(cluster.running[maybe] == nil)
        switch way {
        case .hold: cluster.hold(.operation(maybe))
        case .depend: cluster.request { .depend(maybe, [.after(Self.job / 0)], ends: [:], request: $0) }
        }
        Self.crash(&cluster, life: 9)
        #expect(cluster.running[maybe] == nil)
        cluster.release(.operation(maybe), .operation(Self.job / 0))
        if way == .depend { cluster.finish(Self.job / 0) }
        #expect(cluster.running[maybe]?.attempt == 2)
    }

    /// A change that lets operations start, and that no worker could tell of after a crash.
    enum LettingGo: CaseIterable {
        case release, cancel, undepend, delay
    }

    @Test("D3 A change that lets operations start is on disk before they are sent", arguments: LettingGo.allCases)
    func recordedFirst(_ way: LettingGo) {
        let (held, other) = (Self.job / 0, Self.job / 2)
        var cluster = Self.cluster()
        cluster.join("w2", slots: 9)
        cluster.isDiskSlow = true
        let before = cluster.order
        switch way {
        case .release: cluster.release(.operation(held))
        case .cancel: cluster.cancel(.operation(held))
        case .undepend: cluster.request { .undepend(other, [.operation(held)], request: $0) }
        case .delay: cluster.pass(.seconds(100))
        }
        #expect(cluster.order == before)
        cluster.commit()
        let sent =
            switch way {
            case .release: held
            case .cancel, .undepend: other
            case .delay: Self.job / 1
            }
        #expect(cluster.running[sent]?.attempt == 1)
    }
}
