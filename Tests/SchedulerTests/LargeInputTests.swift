@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Inputs above the limits of workers", .timeLimit(.minutes(60)))
struct LargeInputTests {
    private static let gigabyte: Int64 = 1 << 30

    /// A file with so many GiB, different for each number.
    private static func file(_ number: UInt64, gigabytes: Int64) -> KeptFile {
        KeptFile("f\(number)", number, size: gigabytes * gigabyte)
    }

    /// Finished operations, each with a file at a worker of its own, and an operation in a queue that starts nothing, which needs all of
    /// the files.
    ///
    /// - Parameters:
    ///   - limits: the limits of these workers in GiB, whose names are `w0`, `w1` and so on; nil for one that tells none.
    ///   - size: the size of each file in GiB.
    private func cluster(
        limits: [Int64?],
        gigabytes size: Int64 = 3
    ) -> (cluster: Cluster, job: JobNumber, sessions: [SessionID]) {
        var cluster = Cluster(Configuration(sendAhead: .atMost(0)))
        var sessions: [SessionID] = []
        for (number, limit) in limits.enumerated() {
            let id = WorkerID(rawValue: UInt64(number) + 1)
            sessions.append(cluster.join("w\(number)", id: id, filesLimit: limit.map { $0 * Self.gigabyte }))
        }
        cluster.suspend("b")
        var entries = limits.map { _ in Entry.op() }
        entries.append(Entry(queue: 1, dependencies: limits.indices.map { .needs($0) }))
        _ = cluster.answer(to: Submission(queueNames: ["a", "b"], templates: [.leavingFiles], entries: entries))
        let job = JobNumber(1)
        for index in limits.indices {
            cluster.finish(job / index, leaving: Self.file(UInt64(index) + 1, gigabytes: size))
        }
        return (cluster, job, sessions)
    }

    private func dispatches(of id: OperationID, _ cluster: Cluster) -> [SessionID] {
        cluster.sent.filter { $0.operation == id }.map(\.session)
    }

    @Test(
        "FI4 An input goes to a worker that may keep it, whichever has joined first",
        arguments: [[1, 5, 4], [5, 1, 4], [1, 4, 5], [1, 6], [6], [1, 2, 4, 5, 4, 2]] as [[Int64]]
    )
    func placed(limits: [Int64]) {
        var (cluster, job, _) = cluster(limits: [nil], gigabytes: 5)
        let other = cluster.submit(.op(), queues: ["busy"])
        var able: [SessionID] = []
        for (number, limit) in limits.enumerated() {
            let id = WorkerID(rawValue: UInt64(number) + 10)
            let session = cluster.join("n\(number)", id: id, filesLimit: limit * Self.gigabyte)
            if limit >= 5 { able.append(session) }
        }
        cluster.resume("b")
        #expect(dispatches(of: job / 1, cluster) == able)
        cluster.finish(job / 1)
        cluster.finish(other / 0)
        #expect(cluster.outcome(job / 1) == .succeeded)
    }

    @Test(
        "FI4 Where only a busy worker may keep an input, the wait names it",
        arguments: [[1], [4, 2], [2, 1, 4]] as [[Int64]]
    )
    func busy(limits: [Int64]) {
        var (cluster, job, sessions) = cluster(limits: [nil])
        let other = cluster.submit(.op(), queues: ["busy"])
        for (number, limit) in limits.enumerated() {
            let id = WorkerID(rawValue: UInt64(number) + 10)
            // The file has 3 GiB.
            cluster.join("n\(number)", id: id, filesLimit: limit * Self.gigabyte / 2)
        }
        cluster.resume("b")
        let largest = limits.max() ?? 0
        let name = limits.firstIndex(of: largest).map { "n\($0)" } ?? ""
        let wait = Impediment.largeFiles(
            bytes: 3 * Self.gigabyte,
            limit: largest * Self.gigabyte / 2,
            worker: name,
            able: "w0"
        )
        #expect(cluster.scheduler.impediments(of: job / 1) == [wait])
        #expect(cluster.scheduler.waiting(in: job, limit: 9)?.groups.map(\.wait) == [.impediment(wait)])
        #expect(dispatches(of: job / 1, cluster).isEmpty)
        // Others pass.
        let next = cluster.submit(.op(), queues: ["b"])
        #expect(cluster.running[next / 0] != nil)
        cluster.finish(other / 0)
        #expect(dispatches(of: job / 1, cluster) == [sessions[0]])
        cluster.finish(job / 1)
        #expect(cluster.outcome(job / 1) == .succeeded)
    }

    @Test(
        "FI4 Where no worker may ever keep an input, the wait tells the size and the largest limit, until one joins that may",
        arguments: [[4, 4], [5, 3], [3, 5], [3, 4, 8]] as [[Int64]]
    )
    func never(limits: [Int64]) {
        let size = 3 * Int64(limits.count)
        var (cluster, job, sessions) = cluster(limits: limits)
        let id = job / limits.count
        cluster.resume("b")
        let largest = limits.max() ?? 0
        let name = limits.firstIndex(of: largest).map { "w\($0)" } ?? ""
        let wait = Impediment.largeFiles(
            bytes: size * Self.gigabyte,
            limit: largest * Self.gigabyte,
            worker: name,
            able: nil
        )
        #expect(cluster.scheduler.impediments(of: id) == [wait])
        #expect(cluster.scheduler.waiting(in: job, limit: 9)?.groups.map(\.wait) == [.impediment(wait)])
        // The slots go to others; the answer stays.
        let others = sessions.map { _ in cluster.submit(.op(), queues: ["b"]) / 0 }
        for other in others { #expect(cluster.running[other] != nil) }
        #expect(cluster.scheduler.impediments(of: id) == [wait])
        for other in others { cluster.finish(other) }
        cluster.pass(.seconds(1))
        #expect(dispatches(of: id, cluster).isEmpty)
        sessions.append(cluster.join("large", id: WorkerID(rawValue: 99), filesLimit: size * Self.gigabyte))
        #expect(dispatches(of: id, cluster) == [sessions[limits.count]])
        cluster.finish(id)
        #expect(cluster.outcome(id) == .succeeded)
    }

    @Test(
        "FI4 An operation whose input is above the limit of the only worker with its resources keeps them from no other one",
        arguments: [1, 2, 4]
    )
    func asking(others: Int) {
        var cluster = Cluster(Configuration(sendAhead: .atMost(0)))
        cluster.join("w0", id: WorkerID(rawValue: 1))
        cluster.suspend("b")
        let asking = Template.asking(cpus: 250, memory: 600 << 20)
        let entries = [Entry.op(), .op(queue: 1, template: 1, on: .needs(0))]
        _ = cluster.answer(
            to: Submission(queueNames: ["a", "b"], templates: [.leavingFiles, asking], entries: entries)
        )
        let job = JobNumber(1)
        cluster.finish(job / 0, leaving: Self.file(1, gigabytes: 3))
        let offer = WorkerOffer(cpus: 8000, memory: 1 << 30)
        let limit = 2 * Self.gigabyte
        let n = cluster.join("n", slots: 9, id: WorkerID(rawValue: 2), offer: offer, filesLimit: limit)
        let first = cluster.submit(.op(), queues: ["c"], templates: [asking])
        #expect(cluster.running[first / 0]?.session == n)
        cluster.resume("b")
        // The memory is taken, and given back, once for each of the others.
        var last = first
        for _ in 0..<others {
            let next = cluster.submit(.op(), queues: ["c"], templates: [asking])
            cluster.finish(last / 0)
            #expect(cluster.running[next / 0]?.session == n)
            last = next
        }
        cluster.finish(last / 0)
        #expect(dispatches(of: job / 1, cluster).isEmpty)
        let wait = Impediment.largeFiles(bytes: 3 * Self.gigabyte, limit: limit, worker: "n", able: nil)
        #expect(cluster.scheduler.impediments(of: job / 1)?.first == wait)
        let large = cluster.join("large", id: WorkerID(rawValue: 3), offer: offer, filesLimit: 3 * Self.gigabyte)
        #expect(dispatches(of: job / 1, cluster) == [large])
        cluster.finish(job / 1)
        #expect(cluster.outcome(job / 1) == .succeeded)
    }

    @Test("FI4 An attempt that finds its input above the limit of its worker comes back, and nobody is to blame")
    func comesBack() {
        var (cluster, job, _) = cluster(limits: [4, 4])
        let id = job / 2
        // It does not tell its limit.
        let first = cluster.join("n", id: WorkerID(rawValue: 9))
        cluster.delayMessages(to: first)
        cluster.resume("b")
        guard let attempt = cluster.sent.last, attempt.operation == id, attempt.session == first else {
            Issue.record("The operation was not sent to the worker n.")
            return
        }
        cluster.workers[first]?.inbox = []
        cluster.report(attempt, .noRoom(RoomLack(wanted: 3 << 30, limit: 5 << 30, taken: 3 << 30), hasRun: false))
        #expect(cluster.scheduler.worker(named: "n")?.fault == nil && cluster.state(id) == .ready)
        #expect(cluster.last(id)?.losses ?? 0 == 0 && cluster.attempts(of: job / 0) == [1])
        cluster.join("n", id: WorkerID(rawValue: 9), filesLimit: 5 * Self.gigabyte)
        cluster.pass(.seconds(600))
        #expect(dispatches(of: id, cluster) == [first])
        let (bytes, limit) = (6 * Self.gigabyte, 5 * Self.gigabyte)
        let wait = Impediment.largeFiles(bytes: bytes, limit: limit, worker: "n", able: nil)
        #expect(cluster.scheduler.impediments(of: id) == [wait])
    }
}
