@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Attempts whose workers fetch their files", .timeLimit(.minutes(60)))
struct FileFetchTests {
    private static let bam = KeptFile("a.bam", 1)
    private static let queues = ["a", "b"]

    /// A finished operation with a file at the worker w1, whose only slot another operation has, and the worker w2 with free slots;
    /// dependents, whose indices begin with 1, are in the queue b, which starts nothing.
    private func cluster(
        _ configuration: Configuration = Configuration(sendAhead: .atMost(0)),
        dependents: [Entry] = [.op(queue: 1, on: .needs(0))],
        template: Template = .leavingFiles,
        slots: Int = 1,
        offer: WorkerOffer = WorkerOffer()
    ) -> (cluster: Cluster, job: JobNumber, w2: SessionID) {
        var cluster = Cluster(configuration)
        cluster.join("w1", id: WorkerID(rawValue: 1))
        cluster.suspend("b")
        let templates = [Template.leavingFiles, template]
        let submission = Submission(queueNames: Self.queues, templates: templates, entries: [.op()] + dependents)
        _ = cluster.answer(to: submission)
        let job = JobNumber(1)
        cluster.finish(job / 0, leaving: Self.bam)
        cluster.submit(.op(), queues: ["busy"])
        let w2 = cluster.join("w2", slots: slots, id: WorkerID(rawValue: 2), offer: offer)
        for index in 1...dependents.count { cluster.delayFetches(of: job / index, at: w2) }
        return (cluster, job, w2)
    }

    /// The workers' numbers of attempts whose files are being fetched.
    private func fetching(_ name: String, _ cluster: Cluster) -> Int {
        cluster.scheduler.workers.index(ofName: name).map { cluster.scheduler.workers[$0].sent.fetchingCount } ?? -1
    }

    private func dispatches(of id: OperationID, _ cluster: Cluster) -> [SessionID] {
        cluster.sent.filter { $0.operation == id }.map(\.session)
    }

    @Test("FI4 The slot stays free while files are fetched, and other operations start in it")
    func slotStaysFree() {
        var (cluster, job, w2) = cluster()
        cluster.resume("b")
        #expect(dispatches(of: job / 1, cluster) == [w2] && cluster.state(job / 1) == .ready)
        let fetch = Impediment.fetching(worker: "w2", files: 1, bytes: 1000, present: 0)
        #expect(cluster.scheduler.impediments(of: job / 1) == [fetch])
        #expect(cluster.scheduler.waiting(in: job, limit: 9)?.groups.map(\.wait) == [.impediment(fetch)])
        #expect(cluster.scheduler.fetch(of: job / 1) == fetch)
        for _ in 1...3 {
            let other = cluster.submit(.op())
            #expect(cluster.running[other / 0]?.session == w2)
            #expect(cluster.scheduler.worker(named: "w2")?.executing == 1)
            cluster.finish(other / 0)
        }
        #expect(cluster.scheduler.worker(named: "w2")?.executing == 0 && fetching("w2", cluster) == 1)
        cluster.endFetches(of: Self.bam, at: w2)
        #expect(cluster.running[job / 1]?.session == w2 && fetching("w2", cluster) == 0)
        let late = cluster.submit(.op())
        #expect(cluster.state(late / 0) == .ready, "the slot is taken from the start on")
        cluster.finish(job / 1)
        #expect(cluster.attempts(of: job / 1) == [1] && cluster.state(late / 0) == .executing)
    }

    @Test("FI4 Files that arrive while another operation has the slot wait for it, and come next")
    func waitsForSlot() {
        var (cluster, job, w2) = cluster()
        cluster.resume("b")
        let other = cluster.submit(.op())
        cluster.endFetches(of: Self.bam, at: w2)
        #expect(cluster.running[job / 1] == nil && cluster.state(other / 0) == .executing)
        #expect(
            cluster.scheduler.impediments(of: job / 1) == [.sent(worker: "w2", isRecalled: false, isAway: false)]
        )
        let late = cluster.submit(.op())
        cluster.finish(other / 0)
        #expect(cluster.running[job / 1]?.session == w2 && cluster.state(late / 0) == .ready)
        cluster.finish(job / 1)
        #expect(cluster.running[late / 0]?.session == w2)
    }

    @Test("FI4 A worker fetches for as many attempts as it has slots, and for two at least", arguments: [1, 2, 3])
    func bound(slots: Int) {
        let most = max(2, slots)
        let dependents = [Entry](repeating: .op(queue: 1, on: .needs(0)), count: most + 2)
        var (cluster, job, w2) = cluster(dependents: dependents, slots: slots)
        cluster.resume("b")
        #expect(fetching("w2", cluster) == most)
        let next = job / (most + 1)
        #expect(dispatches(of: next, cluster).isEmpty)
        #expect(cluster.scheduler.impediments(of: next) == [.fetches(operations: most)])
        // Others pass, in the same queue and in others.
        let others = (1...slots).map { cluster.submit(.op(), queues: [$0.isMultiple(of: 2) ? "c" : "b"]) / 0 }
        for other in others { #expect(cluster.running[other]?.session == w2) }
        for other in others { cluster.finish(other) }
        cluster.endFetches(of: Self.bam, at: w2)
        #expect(cluster.running[job / 1]?.session == w2)
        for index in 1...dependents.count { cluster.finish(job / index) }
        #expect(cluster.record.finished[job]?.succeeded == dependents.count + 1)
    }

    @Test("FI4 PR9 A fetch of a lower priority makes room for one of a higher priority")
    func makesRoom() {
        var high = Entry.op(at: .high, queue: 1, on: .needs(0))
        high.isHeld = true
        var (cluster, job, w2) = cluster(dependents: [.op(queue: 1, on: .needs(0)), .op(queue: 1, on: .needs(0)), high])
        cluster.resume("b")
        #expect(fetching("w2", cluster) == 2)
        cluster.release(.operation(job / 3))
        #expect(cluster.workers[w2]?.fetching.map(\.operation) == [job / 1, job / 3])
        #expect(dispatches(of: job / 2, cluster) == [w2])
        cluster.endFetches(of: Self.bam, at: w2)
        #expect(cluster.running[job / 1]?.session == w2)
        for index in [1, 3, 2] { cluster.finish(job / index) }
        #expect(cluster.record.finished[job]?.succeeded == 4)
    }

    @Test("FI4 A worker with all files and a free slot comes first, and its slot is taken at once")
    func wholeFirst() {
        var (cluster, job, w2) = cluster(slots: 4)
        let w3 = cluster.join("w3", id: WorkerID(rawValue: 3))
        cluster.report(Self.bam, in: w3)
        cluster.delayMessages(to: w3)
        cluster.resume("b")
        #expect(dispatches(of: job / 1, cluster) == [w3] && fetching("w3", cluster) == 0)
        let others = (1...4).map { _ in cluster.submit(.op()) / 0 }
        for other in others { #expect(cluster.running[other]?.session == w2) }
        cluster.deliverMessages(to: w3)
        #expect(cluster.running[job / 1]?.session == w3)
    }

    @Test(
        "FI4 Files are fetched before a slot is free, unless a worker has them that may be the first with a free slot",
        arguments: [false, true]
    )
    func early(isHolderDrained: Bool) {
        var (cluster, job, w2) = cluster()
        let other = cluster.submit(.op())
        #expect(cluster.running[other / 0]?.session == w2)
        if isHolderDrained { cluster.request { .drain(["w1"], request: $0) } }
        cluster.resume("b")
        #expect(dispatches(of: job / 1, cluster) == (isHolderDrained ? [w2] : []))
        cluster.endFetches(at: w2)
        cluster.finish(other / 0)
        #expect(cluster.running[job / 1]?.session == w2)
    }

    @Test("FI4 A worker that starts nothing while it fetches has not stalled")
    func noStall() {
        var (cluster, job, w2) = cluster(Configuration())
        cluster.resume("b")
        cluster.pass(.seconds(100))
        #expect(dispatches(of: job / 1, cluster) == [w2] && fetching("w2", cluster) == 1)
        #expect(cluster.workers[w2]?.fetching.count == 1, "the worker was not asked to return it")
        cluster.endFetches(of: Self.bam, at: w2)
        #expect(cluster.attempts(of: job / 1) == [1])
    }

    @Test("FI4 A drained worker returns what it fetches for, and gets it again later")
    func drained() {
        var (cluster, job, w2) = cluster()
        cluster.resume("b")
        cluster.request { .drain(["w2"], request: $0) }
        #expect(fetching("w2", cluster) == 0 && cluster.workers[w2]?.fetching.isEmpty == true)
        #expect(cluster.state(job / 1) == .ready && dispatches(of: job / 1, cluster) == [w2])
        cluster.request { .undrain(["w2"], request: $0) }
        #expect(dispatches(of: job / 1, cluster) == [w2, w2] && fetching("w2", cluster) == 1)
        cluster.suspend("b")
        #expect(fetching("w2", cluster) == 0, "SU8: nothing of a suspended queue is about to start")
    }

    @Test("FI4 The loss of a worker that fetches ends the fetch, and another worker gets the attempt")
    func lost() {
        var (cluster, job, w2) = cluster()
        cluster.resume("b")
        cluster.expel("w2")
        #expect(dispatches(of: job / 1, cluster) == [w2])
        let w3 = cluster.join("w3", id: WorkerID(rawValue: 3))
        #expect(dispatches(of: job / 1, cluster) == [w2, w3])
        #expect(cluster.running[job / 1]?.session == w3)
    }

    @Test("FI4 FI6 What is fetched from a silent worker comes back after that is lost, and the files are made again")
    func silentHolder() {
        var (cluster, job, w2) = cluster(slots: 2)
        guard let w1 = cluster.scheduler.session(ofWorker: "w1") else {
            Issue.record("The worker w1 has no session.")
            return
        }
        cluster.pass(cluster.scheduler.configuration.suspectAfter, silent: w1)
        cluster.resume("b")
        #expect(dispatches(of: job / 1, cluster) == [w2] && fetching("w2", cluster) == 1)
        cluster.pass(cluster.scheduler.configuration.lostAfter, silent: w1)
        #expect(cluster.scheduler.isLost(Self.bam.digest) && cluster.attempts(of: job / 0) == [1])
        guard let attempt = cluster.workers[w2]?.fetching.first, attempt.operation == job / 1 else {
            Issue.record("The worker w2 fetches nothing.")
            return
        }
        cluster.workers[w2]?.fetching = []
        cluster.apply(.filesMissing(w2, attempt.token, [Self.bam.digest]))
        #expect(cluster.state(job / 1) == .pending && cluster.attempts(of: job / 0) == [1, 2])
        cluster.finish(job / 0, leaving: Self.bam)
        cluster.endFetches(of: Self.bam, at: w2)
        cluster.finish(job / 1)
        #expect(cluster.attempts(of: job / 1) == [1] && cluster.record.finished[job]?.succeeded == 2)
    }

    @Test(
        "FI3 FI6 An attempt that waits for a file which only an earlier attempt of a dependency has left comes back",
        arguments: [true, false]
    )
    func outdated(isRecalled: Bool) {
        let dependents = [Entry.op(queue: 1, on: .needs(0)), .op(queue: 1, on: .needs(0))]
        var (cluster, job, w2) = cluster(dependents: dependents, slots: 4)
        let other = KeptFile("a.bam", 2)
        cluster.resume("b")
        guard let waiting = cluster.workers[w2]?.fetching, waiting.map(\.operation) == [job / 1, job / 2] else {
            Issue.record("The worker w2 does not fetch for both.")
            return
        }
        cluster.expel("w1")
        // One attempt finds that no worker has the file, and the operation makes the file again.
        cluster.workers[w2]?.fetching = [waiting[0]]
        cluster.apply(.filesMissing(w2, waiting[1].token, [Self.bam.digest]))
        #expect(cluster.attempts(of: job / 0) == [1, 2])
        cluster.finish(job / 0, leaving: other)
        #expect(dispatches(of: job / 1, cluster) == [w2] && dispatches(of: job / 2, cluster) == [w2, w2])
        #expect(!cluster.scheduler.mayRead(w2, waiting[0].token, Self.bam.digest))
        // The other attempt asks for the old file, or has heard already that the old file is lost.
        if isRecalled {
            cluster.apply(.fetchOutdated(w2, waiting[0].token))
        } else {
            cluster.workers[w2]?.fetching.removeAll { $0.token == waiting[0].token }
            cluster.apply(.filesMissing(w2, waiting[0].token, [Self.bam.digest]))
        }
        #expect(dispatches(of: job / 1, cluster) == [w2, w2])
        guard let again = cluster.sent.last, again.operation == job / 1 else {
            Issue.record("The attempt was not sent again.")
            return
        }
        #expect(again.token != waiting[0].token && cluster.scheduler.mayRead(w2, again.token, other.digest))
        cluster.endFetches(of: other, at: w2)
        for index in 1...2 { cluster.finish(job / index) }
        #expect(cluster.attempts(of: job / 1) == [1] && cluster.record.finished[job]?.succeeded == 3)
    }

    @Test("FI4 PR9 An operation of a higher priority that finds no slot overtakes what is being fetched for")
    func overtaken() {
        var (cluster, job, w2) = cluster()
        cluster.resume("b")
        let other = cluster.submit(.op())
        let high = cluster.submit(.op(at: .high), queues: ["b"])
        #expect(fetching("w2", cluster) == 0 && dispatches(of: job / 1, cluster) == [w2])
        cluster.finish(other / 0)
        #expect(cluster.running[high / 0]?.session == w2)
        cluster.finish(high / 0)
        #expect(dispatches(of: job / 1, cluster) == [w2, w2] && fetching("w2", cluster) == 1)
        // One that finds a slot lets the fetch go on.
        let higher = cluster.submit(.op(at: .high), queues: ["b"])
        #expect(cluster.running[higher / 0]?.session == w2 && fetching("w2", cluster) == 1)
    }

    @Test("FI4 An attempt with all files that waits for a slot moves to a worker with a free one; a fetch does not")
    func moved() {
        var (cluster, job, w2) = cluster()
        cluster.resume("b")
        cluster.submit(.op())
        let w3 = cluster.join("w3", slots: 2, id: WorkerID(rawValue: 3))
        #expect(dispatches(of: job / 1, cluster) == [w2])
        cluster.endFetches(of: Self.bam, at: w2)
        #expect(dispatches(of: job / 1, cluster) == [w2, w3])
        #expect(cluster.running[job / 1]?.session == w3)
    }

    @Test("FI4 BA1 A barrier waits for an operation whose files are being fetched, and leaves its slot free")
    func barrier() {
        var barrier = Entry.op(queue: 1)
        barrier.isBarrier = true
        var (cluster, job, w2) = cluster(dependents: [.op(queue: 1, on: .needs(0)), barrier, .op(queue: 1)])
        cluster.resume("b")
        #expect(fetching("w2", cluster) == 1)
        #expect(dispatches(of: job / 2, cluster).isEmpty && dispatches(of: job / 3, cluster).isEmpty)
        let other = cluster.submit(.op())
        #expect(cluster.running[other / 0]?.session == w2)
        cluster.finish(other / 0)
        cluster.endFetches(of: Self.bam, at: w2)
        cluster.finish(job / 1)
        #expect(cluster.state(job / 2) == .executing && cluster.state(job / 3) == .ready)
    }

    @Test("FI4 An attempt holds what it asks for and a place of its queue's limit while files are fetched, and no slot")
    func resources() {
        let offer = WorkerOffer(cpus: 8000, memory: 1 << 30)
        let asking = Template.asking(cpus: 250, memory: 600 << 20)
        let dependents = [Entry](repeating: .op(queue: 1, template: 1, on: .needs(0)), count: 2)
        var (cluster, job, w2) = cluster(dependents: dependents, template: asking, offer: offer)
        cluster.setQueue("b", limit: .atMost(1))
        cluster.resume("b")
        #expect(fetching("w2", cluster) == 1)
        #expect(cluster.scheduler.worker(named: "w2")?.used.memory == 600 << 20)
        #expect(
            cluster.scheduler.impediments(of: job / 2)?.contains(.limit(queue: "b", limit: 1, executing: 1)) == true
        )
        let large = cluster.submit(.op(), templates: [asking])
        #expect(cluster.state(large / 0) == .ready, "the memory is held")
        let small = cluster.submit(.op(), queues: ["others"])
        #expect(cluster.running[small / 0]?.session == w2, "the slot is not")
        cluster.finish(small / 0)
        cluster.endFetches(of: Self.bam, at: w2)
        #expect(cluster.running[job / 1]?.session == w2)
        cluster.finish(job / 1)
        cluster.finishAll()
        #expect(cluster.record.finished[job]?.succeeded == 3)
    }

    @Test(
        "FI4 A worker without room for the files of an operation runs all others, and is asked again after a while",
        arguments: [1, 2, 8]
    )
    func noRoom(times: Int) {
        var (cluster, job, w2) = cluster(slots: 2)
        cluster.delayMessages(to: w2)
        cluster.resume("b")
        for number in 1...times {
            guard let attempt = cluster.sent.last, attempt.operation == job / 1, attempt.session == w2 else {
                Issue.record("The dependent was not sent to the worker w2.")
                return
            }
            #expect(dispatches(of: job / 1, cluster).count == number)
            cluster.workers[w2]?.inbox = []
            cluster.report(attempt, .noRoom(RoomLack(wanted: 1000, limit: 1500, taken: 700), hasRun: false))
            #expect(cluster.state(job / 1) == .ready && dispatches(of: job / 1, cluster).count == number)
            #expect(cluster.attempts(of: job / 0) == [1], "its files are not lost")
            let wait = Impediment.noRoom(worker: "w2", reason: Scheduler.noRoomForFiles, others: 0)
            #expect(cluster.scheduler.impediments(of: job / 1) == [wait])
            #expect(cluster.scheduler.worker(named: "w2")?.fault == nil)
            cluster.pass(FetchPause.longestRest)
            // While the worker is asked again, the answer stays.
            #expect(dispatches(of: job / 1, cluster).count == number + 1)
            #expect(cluster.scheduler.impediments(of: job / 1) == [wait])
            #expect(cluster.scheduler.waiting(in: job, limit: 9)?.groups.map(\.wait) == [.impediment(wait)])
        }
        #expect(dispatches(of: job / 1, cluster).count == times + 1 && fetching("w2", cluster) == 1)
        let other = cluster.submit(.op())
        #expect(dispatches(of: other / 0, cluster) == [w2])
    }

    @Test("FI4 A worker without room for some bytes fetches fewer, and as many as soon as it may delete something")
    func smaller() {
        var (cluster, job, w2) = cluster(slots: 2)
        cluster.delayMessages(to: w2)
        cluster.resume("b")
        guard let attempt = cluster.sent.last, attempt.operation == job / 1 else {
            Issue.record("The dependent was not sent.")
            return
        }
        cluster.workers[w2]?.inbox = []
        cluster.report(attempt, .noRoom(RoomLack(wanted: 1000, limit: 1500, taken: 700), hasRun: false))
        guard let worker = cluster.scheduler.workers.index(ofName: "w2") else {
            Issue.record("The worker w2 is gone.")
            return
        }
        let now = cluster.now
        func hasRoom(_ bytes: Int64) -> Bool { cluster.scheduler.workers[worker].hasRoomToFetch(bytes, at: now) }
        #expect(hasRoom(999) && !hasRoom(1000) && !hasRoom(1 << 40))
        cluster.report(KeptFile("old", 77), in: w2)
        #expect(cluster.released(in: w2) == [KeptFile("old", 77).digest])
        #expect(dispatches(of: job / 1, cluster) == [w2, w2] && hasRoom(1 << 40))
        // There may be room now.
        let fetch = Impediment.fetching(worker: "w2", files: 1, bytes: 1000, present: 0)
        #expect(cluster.scheduler.impediments(of: job / 1) == [fetch])
    }

    @Test("FI4 An attempt that its worker brings along into another session takes its slot with its start")
    func reconnection() {
        var (cluster, job, w2) = cluster()
        cluster.resume("b")
        guard let attempt = cluster.sent.last, attempt.operation == job / 1 else {
            Issue.record("The dependent was not sent.")
            return
        }
        let again = cluster.join("w2", waiting: [attempt], id: WorkerID(rawValue: 2))
        #expect(dispatches(of: job / 1, cluster) == [w2] && cluster.state(job / 1) == .executing)
        #expect(fetching("w2", cluster) == 0 && cluster.scheduler.worker(named: "w2")?.executing == 1)
        let other = cluster.submit(.op())
        #expect(cluster.state(other / 0) == .ready)
        cluster.report(attempt, session: again)
        #expect(cluster.outcome(job / 1) == .succeeded && cluster.state(other / 0) == .executing)
    }
}
