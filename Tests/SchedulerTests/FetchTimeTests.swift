@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("What is told of fetches after them", .timeLimit(.minutes(60)))
struct FetchTimeTests {
    private static let files = [KeptFile("a", 1), KeptFile("b", 2, size: 500), KeptFile("c", 3, size: 70)]

    /// An operation that the worker w2 fetches files for, since the moment that is now.
    private func cluster(
        held: [KeptFile] = []
    ) -> (cluster: Cluster, dependent: OperationID, w2: SessionID) {
        var cluster = Cluster(Configuration(sendAhead: .atMost(0)))
        cluster.join("w1", id: WorkerID(rawValue: 1))
        cluster.suspend("b")
        let entries = [Entry.op(), .op(queue: 1, on: .needs(0))]
        _ = cluster.answer(to: Submission(queueNames: ["a", "b"], templates: [.leavingFiles], entries: entries))
        let job = JobNumber(1)
        // A content with two names comes once.
        cluster.finish(job / 0, leaving: Self.files[0], Self.files[1], Self.files[2], KeptFile("d", 1))
        cluster.submit(.op(), queues: ["busy"])
        let w2 = cluster.join("w2", id: WorkerID(rawValue: 2))
        cluster.apply(.filesHeld(w2, held.map(\.digest), isFirst: true))
        cluster.delayFetches(of: job / 1, at: w2)
        cluster.resume("b")
        return (cluster, job / 1, w2)
    }

    private func wait(_ seconds: Int64, _ cluster: inout Cluster) { cluster.now = cluster.now + .seconds(seconds) }

    @Test("A fetch is on record from the dispatch to the last file, with what the worker lacked", arguments: 0..<3)
    func times(heldFiles: Int) {
        let held = Array(Self.files.prefix(heldFiles))
        let missing = Array(Self.files.dropFirst(heldFiles))
        var (cluster, dependent, w2) = cluster(held: held)
        let sentAt = cluster.now
        for file in missing.dropLast() {
            wait(1, &cluster)
            cluster.apply(.filesHeld(w2, [file.digest], isFirst: false))
        }
        wait(2, &cluster)
        // The slot is taken meanwhile: the files are there long before the start.
        let other = cluster.submit(.op(), queues: ["other"])
        let arrivedAt = cluster.now
        cluster.endFetches(of: missing[missing.count - 1], at: w2)
        #expect(cluster.running[dependent] == nil && cluster.record.fetches.isEmpty)
        wait(3, &cluster)
        cluster.finish(other / 0)
        #expect(cluster.running[dependent]?.session == w2)
        let fetch = FetchRecord(
            sentAt: sentAt,
            arrivedAt: arrivedAt,
            files: UInt32(missing.count),
            bytes: missing.reduce(0) { $0 + $1.size }
        )
        #expect(cluster.record.fetches == [dependent: [1: fetch]])
        #expect(cluster.scheduler.files.fetchTimes.isEmpty)
    }

    @Test("Nothing is told of a fetch whose attempt did not start, and the next one counts from its own dispatch")
    func inVain() {
        var (cluster, dependent, w2) = cluster()
        wait(1, &cluster)
        cluster.hold(.operation(dependent))
        #expect(cluster.scheduler.files.fetchTimes.isEmpty && cluster.record.fetches.isEmpty)
        wait(1, &cluster)
        cluster.apply(.filesHeld(w2, [Self.files[0].digest], isFirst: false))
        cluster.release(.operation(dependent))
        let sentAt = cluster.now
        wait(1, &cluster)
        cluster.endFetches(of: Self.files[1], Self.files[2], at: w2)
        let fetch = FetchRecord(sentAt: sentAt, arrivedAt: cluster.now, files: 2, bytes: 570)
        #expect(cluster.record.fetches == [dependent: [1: fetch]])
    }

    @Test("What a worker only tells to have was not fetched, and an attempt without a fetch has no record")
    func reported() {
        var times = FetchTimes()
        let (cluster, _, _) = cluster()
        guard let worker = cluster.scheduler.workers.index(ofName: "w2") else {
            Issue.record("The worker w2 is not there.")
            return
        }
        let (first, second) = (AttemptToken(epoch: 1, serial: 1), AttemptToken(epoch: 1, serial: 2))
        let sizes = Dictionary(uniqueKeysWithValues: Self.files.map { ($0.digest, $0.size) })
        times.begin(first, at: worker, sizes, at: Timestamp(rawValue: 10))
        times.begin(second, at: worker, [:], at: Timestamp(rawValue: 10))
        #expect(times.tokens(at: worker) == [first])
        times.noteArrival(of: [Self.files[0].digest], at: worker, Timestamp(rawValue: 20), wasThere: true)
        times.noteArrival(of: [Self.files[1].digest], at: worker, Timestamp(rawValue: 30), wasThere: false)
        #expect(times.end(second, at: worker, start: Timestamp(rawValue: 50)) == nil)
        // It has started without the last one having been told: that was there by the start.
        let fetch = times.end(first, at: worker, start: Timestamp(rawValue: 50))
        #expect(
            fetch
                == FetchRecord(
                    sentAt: Timestamp(rawValue: 10),
                    arrivedAt: Timestamp(rawValue: 50),
                    files: 2,
                    bytes: 570
                )
        )
        #expect(times.isEmpty)
        times.begin(first, at: worker, sizes, at: Timestamp(rawValue: 60))
        times.noteArrival(of: Self.files.map(\.digest), at: worker, Timestamp(rawValue: 70), wasThere: true)
        #expect(times.end(first, at: worker, start: Timestamp(rawValue: 80)) == nil && times.isEmpty)
    }

    @Test("What is fetched for the next attempt has a record of its own")
    func attempts() {
        var (cluster, dependent, w2) = cluster()
        wait(1, &cluster)
        cluster.endFetches(of: Self.files[0], Self.files[1], Self.files[2], at: w2)
        #expect(cluster.record.fetches[dependent]?.keys.sorted() == [1])
        cluster.expel("w2")
        let w3 = cluster.join("w3", id: WorkerID(rawValue: 3))
        #expect(cluster.running[dependent]?.session == w3)
        #expect(cluster.record.fetches[dependent]?[2]?.files == 3)
        #expect(cluster.scheduler.files.fetchTimes.isEmpty)
    }
}
