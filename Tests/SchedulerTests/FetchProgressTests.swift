@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("How far workers are with files that attempts wait for", .timeLimit(.minutes(60)))
struct FetchProgressTests {
    private static let files = [KeptFile("a", 1), KeptFile("b", 2, size: 500)]

    /// An operation at the worker w2, which fetches two files for it; the only slot of their holder w1 is taken.
    private func cluster() -> (cluster: Cluster, dependent: OperationID, w2: SessionID, token: AttemptToken)? {
        var cluster = Cluster(Configuration(sendAhead: .atMost(0)))
        cluster.join("w1", id: WorkerID(rawValue: 1))
        cluster.suspend("b")
        let entries = [Entry.op(), .op(queue: 1, on: .needs(0))]
        _ = cluster.answer(to: Submission(queueNames: ["a", "b"], templates: [.leavingFiles], entries: entries))
        let job = JobNumber(1)
        cluster.finish(job / 0, leaving: Self.files[0], Self.files[1])
        cluster.submit(.op(), queues: ["busy"])
        let w2 = cluster.join("w2", id: WorkerID(rawValue: 2))
        cluster.delayFetches(of: job / 1, at: w2)
        cluster.resume("b")
        guard let token = cluster.workers[w2]?.fetching.first?.token else {
            Issue.record("Nothing is fetched.")
            return nil
        }
        return (cluster, job / 1, w2, token)
    }

    private func present(_ id: OperationID, _ cluster: Cluster) -> Int64? {
        guard case .fetching("w2", _, 1500, let present)? = cluster.scheduler.fetch(of: id) else { return nil }
        return present
    }

    @Test("What has come of files that are not complete counts, within the bytes of all files")
    func counts() {
        guard let scene = cluster() else { return }
        var (cluster, dependent, w2, token) = scene
        #expect(present(dependent, cluster) == 0)
        let pairs: [(told: UInt64, expected: Int64)] = [
            (0, 0), (1, 1), (700, 700), (1500, 1500), (1501, 1500), (.max, 1500), (3, 3),
        ]
        for (told, expected) in pairs {
            cluster.apply(.fetchesProgressed(w2, [AttemptFetch(token, present: told)]))
            #expect(present(dependent, cluster) == expected)
        }
        // The larger one of two statements is the later one.
        cluster.apply(.filesHeld(w2, [Self.files[1].digest], isFirst: false))
        #expect(present(dependent, cluster) == 500)
        cluster.apply(.fetchesProgressed(w2, [AttemptFetch(token, present: 600)]))
        #expect(present(dependent, cluster) == 600)
        let fetch = WorkerFetch(operation: dependent, files: 1, bytes: 1500, present: 600)
        #expect(cluster.scheduler.fetches(onWorker: "w2") == [fetch])
        for name in ["w1", "unknown"] { #expect(cluster.scheduler.fetches(onWorker: name).isEmpty) }
        cluster.endFetches(of: Self.files[0], at: w2)
        #expect(present(dependent, cluster) == nil && cluster.running[dependent]?.session == w2)
        cluster.apply(.fetchesProgressed(w2, [AttemptFetch(token, present: 7)]))
        #expect(cluster.scheduler.fetch(of: dependent) == nil && cluster.scheduler.fetches(onWorker: "w2").isEmpty)
    }

    @Test("Nobody tells of the fetches of others, and an attempt that comes back is told anew")
    func others() {
        guard let scene = cluster() else { return }
        var (cluster, dependent, w2, token) = scene
        let w1 = SessionID(rawValue: 12_345)
        let other = AttemptToken(epoch: 9, serial: 9)
        cluster.apply(.fetchesProgressed(w1, [AttemptFetch(token, present: 700)]))
        cluster.apply(.fetchesProgressed(w2, [AttemptFetch(other, present: 700)]))
        cluster.apply(.fetchesProgressed(w2, []))
        #expect(present(dependent, cluster) == 0)
        cluster.apply(.fetchesProgressed(w2, [AttemptFetch(other, present: 9), AttemptFetch(token, present: 700)]))
        #expect(present(dependent, cluster) == 700)
        cluster.hold(.operation(dependent))
        cluster.release(.operation(dependent))
        #expect(present(dependent, cluster) == 0)
    }
}
