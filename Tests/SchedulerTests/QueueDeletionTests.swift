@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Deletion of queues", .timeLimit(.minutes(60)))
struct QueueDeletionTests {
    /// A submission of operations in a queue.
    private static func submission(in queue: String, _ entries: Entry...) -> Submission {
        Submission(queueNames: [queue], templates: [.noOperation], entries: entries)
    }

    @Test("A queue is deleted once its operations have finished, and its next use makes it anew, also after a restart")
    func delete() {
        var cluster = Cluster()
        cluster.join("w1", slots: 1)
        cluster.setQueue("q", limit: .atMost(1), qualityOfService: .utility, total: 9)
        _ = cluster.answer(to: Self.submission(in: "q", .op()))
        guard case .refused(let refusal)? = cluster.deleteQueue("q") else {
            Issue.record("a queue with an operation was deleted")
            return
        }
        #expect(refusal.code == .invalid)
        #expect(
            refusal.message
                == #"The queue "q" has one unfinished operation. Wait for its end, or cancel it, and try again."#
        )
        cluster.finish(JobNumber(1) / 0)
        #expect(cluster.deleteQueue("q") == .changed(ChangeReport(changed: 1)))
        #expect(cluster.scheduler.queue("q") == nil && cluster.record.queues["q"] == nil)
        #expect(cluster.scheduler.ended.succeeded == 1, "the deletion does not undo what has happened")
        cluster.restart()
        #expect(cluster.scheduler.queue("q") == nil)
        cluster.join("w1", slots: 1)
        _ = cluster.answer(to: Self.submission(in: "q", .op()))
        #expect(cluster.scheduler.queue("q")?.settings == QueueSettings())
        #expect(cluster.state(JobNumber(2) / 0) == .executing)
    }

    @Test("A queue that does not exist, or is the default queue, is not deleted")
    func refused() {
        var cluster = Cluster()
        _ = cluster.submit(.op())
        for (name, code) in [("x", Refusal.Code.notFound), ("default", .invalid)] {
            guard case .refused(let refusal)? = cluster.deleteQueue(name) else {
                Issue.record("\(name) was deleted")
                continue
            }
            #expect(refusal.code == code)
        }
    }

    @Test("A queue whose operations have finished stays deleted over a restart, although its job goes on")
    func unfinishedJob() {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        let submission = Submission(
            queueNames: ["q", "r"],
            templates: [.noOperation],
            entries: [.op(), Entry(queue: 1), Entry(queue: 1, isHeld: true)]
        )
        _ = cluster.answer(to: submission)
        cluster.finish(JobNumber(1) / 0)
        #expect(cluster.deleteQueue("q") == .changed(ChangeReport(changed: 1)))
        cluster.restart()
        #expect(cluster.scheduler.allQueues.map(\.name) == ["r"])
        #expect(cluster.scheduler.counts(of: JobNumber(1))?.succeeded == 1)
    }

    @Test("The place of a deleted queue serves another one, and the order of queues goes on")
    func reuse() {
        var cluster = Cluster()
        cluster.join("w1", slots: 1)
        for round in 0..<5 {
            for name in ["a", "b", "c"] { _ = cluster.answer(to: Self.submission(in: name + "\(round)", .op(), .op())) }
            for _ in 0..<6 {
                guard let running = cluster.running.keys.first else { break }
                cluster.finish(running)
            }
            for name in ["b", "a"] {
                #expect(cluster.deleteQueue(name + "\(round)") == .changed(ChangeReport(changed: 1)))
            }
            #expect(cluster.scheduler.violations().isEmpty)
        }
        #expect(cluster.scheduler.allQueues.map(\.name) == (0..<5).map { "c\($0)" })
        #expect(cluster.scheduler.counts.unfinished == 0)
    }
}

extension Cluster {
    fileprivate mutating func deleteQueue(_ name: String) -> Answer? {
        answer { .deleteQueue(name, request: $0) }
    }
}
