@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Prefetching and recalls", .timeLimit(.minutes(60)))
struct SendAheadTests {
    /// The number of attempts that a worker was sent and has not started, as the scheduler knows it.
    private static func ahead(_ cluster: Cluster, _ name: String = "w1") -> Int {
        cluster.scheduler.workers.index(ofName: name).map { cluster.scheduler.workers[$0].sent.count } ?? -1
    }

    @Test("The prefetch limit follows from the policy, the number of slots and the mean duration of attempts")
    func limits() {
        let cases: [(SendAhead, slots: Int, mean: Int64?, isFlowing: Bool, limit: Int)] = [
            (.atMost(3), 2, nil, false, 3), (.atMost(0), 2, 1, true, 0), (.atMost(-4), 2, 1, true, 0),
            (.automatic, 4, nil, true, 0), (.automatic, 4, 32_000, true, 4), (.automatic, 4, 32_001, true, 0),
            (.automatic, 4, 400, true, 320), (.automatic, 4, 0, true, 1024), (.automatic, 4, 400, false, 0),
            (.automatic, 1, 1_000_000, true, 0), (.automatic, 4096, 1, true, 1024),
        ]
        // Workers of one host may measure any round trip below two milliseconds.
        for told in [.min, 0, 150, 1999] as [Int64] {
            let near = Distance(roundTrip: told)
            #expect(near.patience(mean: 7000) == 80_000)
            for (sendAhead, slots, mean, isFlowing, limit) in cases {
                let room = sendAhead.room(slots: slots, mean: mean, meanBytes: 0, distance: near, isFlowing: isFlowing)
                #expect(room == SendAhead.Room(attempts: limit, time: Int64(slots) * 32_000))
            }
        }
    }

    @Test("Automatic prefetching sends nothing ahead without evidence or where attempts take 50 ms")
    func noEvidence() {
        var cluster = Cluster(Configuration())
        cluster.join("w1", slots: 2)
        let job = cluster.submit(.array(100))
        #expect(cluster.sent.count == 2)
        for index in 0..<10 {
            cluster.finish(job / index, after: .milliseconds(50))
            #expect(cluster.sent.count == 3 + index)
        }
    }

    @Test("Automatic prefetching sends more operations ahead the shorter they are, and recalls none while they flow")
    func short() {
        var cluster = Cluster(Configuration())
        cluster.join("w1", slots: 2)
        let job = cluster.submit(.array(3000))
        cluster.finish(job / 0, after: .microseconds(500))
        #expect(Self.ahead(cluster) == 2 * 64)
        // Operations have become this short; each operation counts an eighth.
        for index in 1..<60 { cluster.finish(job / index, after: .microseconds(50)) }
        #expect(Self.ahead(cluster) > 200)
        // A long operation lowers the number at once, and waiting operations are not recalled while they flow.
        cluster.finish(job / 60, after: .seconds(3))
        let sent = cluster.sent.count
        cluster.finish(job / 61, after: .microseconds(50))
        #expect(cluster.sent.count == sent)
        #expect(cluster.effects.recalled.isEmpty)
    }

    @Test("Automatic prefetches at a worker without progress are recalled after 80 ms, and resume with progress")
    func patience() {
        var cluster = Cluster(Configuration())
        let session = cluster.join("w1")
        let job = cluster.submit(.array(100))
        for index in 0..<5 { cluster.finish(job / index, after: .milliseconds(1)) }
        #expect(Self.ahead(cluster) == 32)
        cluster.pass(.microseconds(79_999))
        #expect(Self.ahead(cluster) == 32)
        cluster.pass(.microseconds(1))
        #expect(Self.ahead(cluster) == 0)
        #expect(cluster.workers[session]?.waiting.isEmpty == true)
        // The worker gets no more operations ahead until it makes progress.
        cluster.pass(.seconds(5))
        #expect(Self.ahead(cluster) == 0)
        cluster.finish(job / 5, after: .seconds(5))
        #expect(Self.ahead(cluster) == 0)
        for index in 6..<80 { cluster.finish(job / index, after: .milliseconds(1)) }
        #expect(Self.ahead(cluster) > 0)
        cluster.finishAll()
        #expect(cluster.order == (0..<100).map { "1/\($0)" })
    }

    @Test("A worker without progress is asked for a recall once, and leaves few timers behind")
    func timers() {
        var cluster = Cluster(Configuration())
        let session = cluster.join("w1")
        let job = cluster.submit(.array(500))
        for index in 0..<300 {
            cluster.finish(job / index, after: .milliseconds(1))
            cluster.pass(.milliseconds(1))
            #expect(cluster.scheduler.timers.all.count < 10)
        }
        cluster.delayMessages(to: session)
        cluster.pass(.seconds(1))
        let recalls = cluster.workers[session]?.inbox.count { if case .recall = $0 { true } else { false } }
        #expect(recalls == 1)
    }

    @Test(
        "A fixed prefetch limit sends exactly that many operations beyond the slots, whatever their duration",
        arguments: [0, 1, 4]
    )
    func atMost(limit: Int) {
        var cluster = Cluster(Configuration(sendAhead: .atMost(limit)))
        cluster.join("w1", slots: 3)
        let job = cluster.submit(.array(20))
        #expect(cluster.sent.count == 3 + limit)
        #expect(cluster.started.count == 3)
        #expect((0..<20).count { cluster.state(job / $0) == .executing } == 3)
        #expect(cluster.scheduler.allWorkers.map(\.executing) == [3])
        cluster.finish(job / 1, after: .seconds(60))
        #expect(cluster.sent.count == 4 + limit)
        cluster.finishAll()
        #expect(cluster.sent.map(\.operation) == (0..<20).map { job / $0 })
        #expect(cluster.order == (0..<20).map { "1/\($0)" })
    }

    @Test("CO1 The limit of a queue counts prefetched operations like started ones")
    func queueLimit() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(5)))
        cluster.setQueue("a", limit: .atMost(2))
        let session = cluster.join("w1")
        let job = cluster.submit(.array(9), .array(9, queue: 1), queues: ["a", "b"])
        #expect(cluster.sent.count { $0.queue == "a" } == 2)
        #expect(cluster.sent.count { $0.queue == "b" } == 4)
        #expect(cluster.workers[session]?.running.count == 1)
        cluster.setQueue("a", limit: .atMost(1))
        cluster.finishAll()
        #expect(cluster.order.count == 18 && cluster.ends.count == 18 && job == JobNumber(1))
    }

    @Test("CO6 Prefetched operations beyond a lowered limit are recalled before the reply")
    func loweredLimit() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(5)))
        let session = cluster.join("w1", slots: 2)
        let job = cluster.submit(.array(9))
        cluster.delayMessages(to: session)
        let change = QueueChange(name: "default", maxConcurrent: .atMost(1))
        let request = cluster.request { .setQueue(change, request: $0) }
        #expect(cluster.answers[request] == nil)
        cluster.deliverMessages(to: session)
        #expect(cluster.report(request)?.changed == 1)
        #expect(cluster.workers[session]?.waiting.isEmpty == true)
        cluster.finish(job / 0)
        #expect(cluster.started.count == 2)
        cluster.finish(job / 1)
        #expect(cluster.started.count == 3)
        #expect(cluster.scheduler.queue("default")?.counts.executing == 1)
    }

    @Test("QO3 A prefetched operation takes the class of its queue at the time of its start")
    func changedClass() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(2)))
        cluster.join("w1")
        let job = cluster.submit(.array(2))
        cluster.setQueue("default", qualityOfService: .background)
        cluster.finish(job / 0)
        #expect(cluster.running[job / 1]?.qualityOfService == .background)
    }

    @Test(
        "An idle worker takes over operations that were prefetched to a loaded worker, without another attempt",
        arguments: [1, 2, 3, 8]
    )
    func idle(slots: Int) {
        var cluster = Cluster(Configuration(sendAhead: .atMost(8)))
        let loaded = cluster.join("w1")
        let job = cluster.submit(.array(9))
        #expect(cluster.workers[loaded]?.waiting.count == 8)
        let idle = cluster.join("w2", slots: slots)
        #expect(cluster.workers[idle]?.running.count == slots)
        #expect(cluster.effects.recalled.count >= slots)
        cluster.finishAll()
        #expect((0..<9).allSatisfy { cluster.last(job / $0)?.attempt == 1 && cluster.outcome(job / $0) == .succeeded })
        #expect(cluster.started.count == 9)
    }

    @Test("An idle worker gets no operation that has started at a silent worker, which is asked for a recall once")
    func idleAndMute() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(2)))
        let mute = cluster.join("mute")
        let job = cluster.submit(.array(3))
        cluster.delayMessages(to: mute)
        let idle = cluster.join("idle")
        for _ in 0..<5 { cluster.apply(.workerHeard(idle)) }
        #expect(cluster.workers[mute]?.inbox.count == 1)
        cluster.finish(job / 0)
        cluster.finish(job / 1)
        #expect(cluster.state(job / 2) == .executing)
        cluster.deliverMessages(to: mute)
        #expect(cluster.workers[idle]?.running.isEmpty == true)
        #expect(cluster.order == ["1/0", "1/1", "1/2"])
    }

    @Test("A silent or draining worker is sent nothing, and a silent one is sent operations again once it is heard")
    func unavailable() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(4)))
        let silent = cluster.join("silent")
        let draining = cluster.join("draining")
        cluster.submit(.array(2))
        cluster.apply(.workerLeaving(draining))
        cluster.pass(.seconds(11), silent: silent, draining)
        cluster.submit(.array(20))
        #expect(cluster.sent.count == 2)
        cluster.apply(.workerHeard(silent))
        #expect(cluster.sent.count == 6)
    }

    @Test("D3 Operations that were prefetched to a lost worker run elsewhere as the next attempt, with a loss")
    func lost() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(2)))
        let session = cluster.join("w1")
        let job = cluster.submit(.array(3))
        cluster.pass(.seconds(50), silent: session)
        cluster.join("w2", slots: 3)
        #expect((0..<3).map { cluster.running[job / $0]?.attempt } == [2, 2, 2])
        #expect((0..<3).map { cluster.last(job / $0)?.losses } == [1, 1, 1])
    }

    @Test("Operations that a worker gives back unstarted run elsewhere as the same attempt, without a loss")
    func givenBack() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(2)))
        let session = cluster.join("w1")
        let job = cluster.submit(.array(3))
        cluster.apply(.workerLeaving(session))
        cluster.apply(.attemptsReturned(session, cluster.workers[session]?.waiting.map(\.token) ?? []))
        cluster.join("w2", slots: 3)
        #expect((1..<3).map { cluster.running[job / $0]?.attempt } == [1, 1])
        #expect((1..<3).map { cluster.last(job / $0)?.losses } == [0, 0])
    }

    @Test(
        "CA15 CA2 Cancelled operations that were prefetched do not start after the answer, which waits for the recall"
    )
    func cancelled() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(3)))
        let session = cluster.join("w1")
        let job = cluster.submit(.array(4))
        cluster.delayMessages(to: session)
        let request = cluster.request { .cancel([.operations(job, 1..<4)], request: $0) }
        #expect(cluster.answers[request] == nil)
        #expect((1..<4).allSatisfy { cluster.last(job / $0)?.isCancelled == true })
        // One operation starts before the worker reads the recall, and is asked to end.
        cluster.finish(job / 0)
        #expect(cluster.state(job / 1) == .executing)
        #expect(cluster.answers[request] == nil)
        cluster.deliverMessages(to: session)
        #expect(cluster.report(request) == ChangeReport(changed: 3))
        #expect([2, 3].map { cluster.outcome(job / $0) } == [.cancelled, .cancelled])
        #expect(cluster.workers[session]?.ending.count == 1)
        cluster.finish(job / 1, .cancelled(exitStatus: nil, signal: 15))
        #expect(cluster.order == ["1/0", "1/1"])
        #expect(cluster.last(job / 2)?.startedAt == nil)
    }

    @Test(
        "CA15 The answer to a cancellation names a silent worker, and the operations there end once the worker is lost"
    )
    func cancelledMute() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(3)))
        let session = cluster.join("mute")
        let job = cluster.submit(.array(3))
        cluster.delayMessages(to: session)
        let request = cluster.request { .cancel([.operations(job, 1..<3)], request: $0) }
        cluster.pass(.seconds(2))
        #expect(cluster.report(request) == ChangeReport(changed: 2, unanswered: ["mute"]))
        #expect(cluster.outcome(job / 1) == nil)
        cluster.pass(.seconds(60), silent: session)
        #expect([1, 2].map { cluster.outcome(job / $0) } == [.cancelled, .cancelled])
        #expect(cluster.ends == [job / 1: 1, job / 2: 1])
    }

    @Test("CA9 CA15 Two cancellations of a prefetched operation cause one recall, and both answers wait for it")
    func cancelledTwice() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(3)))
        let session = cluster.join("w1")
        let job = cluster.submit(.array(2))
        cluster.delayMessages(to: session)
        let first = cluster.request { .cancel([.operation(job / 1)], request: $0) }
        let second = cluster.request { .cancel([.operation(job / 1)], request: $0) }
        #expect(cluster.answers[second] == nil)
        #expect(cluster.workers[session]?.inbox.count == 1)
        cluster.deliverMessages(to: session)
        #expect(cluster.answers[first] != nil && cluster.answers[second] != nil)
    }

    @Test("D8 Reports of attempts that a session does not hold, or in an impossible order, change nothing")
    func hostile() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(2)))
        let session = cluster.join("w1")
        let other = cluster.join("w2")
        let job = cluster.submit(.array(6))
        let tokens = cluster.sent.map(\.token) + [AttemptToken(rawValue: 0), AttemptToken(rawValue: .max)]
        let foreign = cluster.sent.filter { $0.session == session }.map(\.token)
        let changes = cluster.record.changes.count
        cluster.apply(.attemptsStarted(other, foreign.map { AttemptStart($0) }))
        cluster.apply(.attemptsReturned(other, foreign))
        cluster.apply(.attemptsReturned(session, cluster.started.map(\.token)))
        cluster.apply(.attemptsStarted(SessionID(rawValue: 99), tokens.map { AttemptStart($0) }))
        #expect(cluster.record.changes.count == changes)
        // The worker returns an attempt and starts it after all: the return counts.
        let waiting = cluster.workers[session]?.waiting.map(\.token) ?? []
        cluster.delayMessages(to: session)
        cluster.apply(.attemptsReturned(session, waiting + waiting))
        cluster.apply(.attemptsStarted(session, waiting.map { AttemptStart($0) }))
        #expect(cluster.state(job / 0) == .executing)
        for duration in [Duration.seconds(-5), .seconds(Int64.max), .seconds(Int64.min), .zero] {
            for attempt in cluster.running.values.sorted(by: { $0.token < $1.token }) {
                cluster.report(attempt, after: duration)
            }
        }
        let workers = cluster.scheduler.workers
        let longest = workers.indexes.compactMap { workers[timesOf: $0].meanDuration }.max()
        #expect(longest ?? 0 <= 86_400_000_000)
    }
}
