@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonCoordinator
@_spi(Baton) import BatonStore

@Suite("What people who look at a cluster see", .timeLimit(.minutes(60)))
struct OverviewTests {
    private func submit(_ client: Peer, _ entries: Entry..., name: String? = nil) throws -> JobNumber {
        var submission = Submission(templates: [Template(work: Work(.noOperation))], entries: entries)
        submission.name = name
        guard case .job(let job, _, _) = try client.ask(.submit(submission)) else { throw Unexpected(answer: "no job") }
        return job
    }

    @Test("The overview has the sums, the unfinished jobs, and the queues and workers that need somebody")
    func overview() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let empty = try client.document(OverviewDocument.self, .overview(jobs: 20))
        #expect(empty.workers == 0 && empty.jobs.isEmpty && empty.counts.total == 0 && empty.recordFault == nil)

        let worker = try Peer(harness.server.endpoint)
        let session = try worker.join("w1", session: 7).session
        let first = try submit(client, Entry(), name: "study")
        let attempt = try worker.receiveAttempt()
        let second = try submit(client, Entry(), Entry())
        _ = try client.ask(.setQueue(QueueChange(name: "q", isSuspended: true)))
        try worker.send(WorkerMessage.health(session, fault: "No space is left.").encoded())
        var busy = try client.document(OverviewDocument.self, .overview(jobs: 1))
        // The word of the worker and the question of the client have no order.
        while busy.troubledWorkers.isEmpty { busy = try client.document(OverviewDocument.self, .overview(jobs: 1)) }
        #expect(busy.workers == 1 && busy.slots == 1 && busy.counts.unfinished == 3)
        #expect(busy.jobs.map(\.job) == [second] && busy.moreJobs == 1)
        #expect(busy.queues.map(\.queue) == ["q"] && busy.queues.first?.suspended == true)
        #expect(busy.troubledWorkers.map(\.worker) == ["w1"] && busy.troubledWorkers.first?.state == .failing)

        let completion = Completion(
            token: attempt.token,
            operation: attempt.operation,
            result: AttemptResult(end: .exited(1))
        )
        let wait = Request.wait([.job(first)], queue: nil, atMost: .seconds(3600), waiter: nil)
        let number = try client.begin(wait)
        try worker.send(WorkerMessage.report(session, AttemptReport(completions: [completion])).encoded())
        _ = try client.answer(to: number, repeating: wait)
        let after = try client.document(OverviewDocument.self, .overview(jobs: 20))
        #expect(after.finished == 1 && after.failedLastHour == 1)
        #expect(after.jobs.map(\.job) == [second] && after.moreJobs == 0)
        try harness.stop()
    }

    @Test("An unfinished job has the time that its rest will take, once a part of it is finished")
    func rest() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let worker = try Peer(harness.server.endpoint)
        let session = try worker.join("w1", session: 7).session
        let job = try submit(client, Entry(), Entry(), Entry(), Entry())
        let attempt = try worker.receiveAttempt()
        #expect(try client.document(OverviewDocument.self, .overview(jobs: 20)).jobs.first?.etaSeconds == nil)
        let completion = Completion(
            token: attempt.token,
            operation: attempt.operation,
            result: AttemptResult(end: .exited(0))
        )
        let first = Address.operation(attempt.operation)
        let wait = Request.wait([first], queue: nil, atMost: .seconds(3600), waiter: nil)
        let number = try client.begin(wait)
        try worker.send(WorkerMessage.report(session, AttemptReport(completions: [completion])).encoded())
        _ = try client.answer(to: number, repeating: wait)
        let shown = try client.document(OverviewDocument.self, .overview(jobs: 20)).jobs
        #expect(shown.map(\.job) == [job])
        let rest = try #require(shown.first?.etaSeconds)
        // A quarter is done, and the same job's document tells the same a moment later.
        let document = try client.document(JobDocument.self, .job(job, from: 0, limit: 0))
        #expect(rest >= 0 && rest <= document.etaSeconds ?? -1)
        try harness.stop()
    }

    @Test("The answer why nothing runs has the reasons of what exists, and nothing of what does not")
    func standstill() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let job = try submit(client, Entry(name: "one"), Entry(name: "two"))
        func kinds(_ addresses: Address..., queue: String? = nil) throws -> [WaitReason.Kind] {
            try client.document(StandstillDocument.self, .standstill(addresses, queue: queue)).operations
                .flatMap(\.waitsFor).map(\.kind)
        }
        #expect(try kinds(.job(job)) == [.noWorker])
        #expect(try kinds(.named(job, "two")) == [.noWorker])
        #expect(try kinds(queue: "default") == [.noWorker])
        #expect(try kinds(.named(job, "three"), .job(JobNumber(77)), queue: "none") == [])
        _ = try client.ask(.hold([.operation(OperationID(job: job, index: 1))]))
        #expect(try kinds(.job(job)) == [.noWorker, .hold])
        try harness.stop()
    }

    @Test(
        "What holds a job up is told of unfinished jobs, nothing of finished ones, and jobs that are not there are refused"
    )
    func waiting() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let job = try submit(client, Entry(), Entry(), Entry(dependencies: [Dependency(on: .entry(0))]))
        _ = try client.ask(.hold([.operation(OperationID(job: job, index: 1))]))
        let found = try client.document(WaitingDocument.self, .waiting(job))
        #expect(
            found.reasons.map(\.message) == [
                "\(job)/0 waits: no worker is connected that could run it.",
                "\(job)/1 is held.",
                "\(job)/2 waits for \(job)/0, which must end first.",
            ]
        )
        #expect(
            found.job == job && found.more == 0 && found.reasons.allSatisfy { $0.queue == "default" && $0.count == 1 }
        )
        let wait = Request.wait([.job(job)], queue: nil, atMost: .seconds(3600), waiter: nil)
        let number = try client.begin(wait)
        _ = try client.ask(.cancel([.job(job)], queue: nil))
        _ = try client.answer(to: number, repeating: wait)
        #expect(
            try client.document(WaitingDocument.self, .waiting(job)) == WaitingDocument(job: job, reasons: [])
        )
        guard case .refused(let refusal) = try client.ask(.document(.waiting(JobNumber(77)))) else {
            throw Unexpected(answer: "a job that is not there")
        }
        #expect(refusal.code == .notFound)
        try harness.stop()
    }

    @Test("Barriers and cancelled operations have sentences of their own, and reasons beyond the limit are counted")
    func waitingTogether() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        func messages(_ job: JobNumber) throws -> [String] {
            try client.document(WaitingDocument.self, .waiting(job)).reasons.map(\.message)
        }
        let job = try submit(client, Entry(), Entry(), Entry(isBarrier: true), Entry(), Entry())
        #expect(
            try messages(job) == [
                "2 operations wait: no worker is connected that could run them.",
                "2 operations wait: the barrier \(job)/2 of the queue \"default\" comes first, and waits for the end of 2 "
                    + "operations that were added before.",
                "\(job)/2 waits: it is a barrier, and 2 operations that were added to the queue \"default\" before are not "
                    + "finished.",
            ]
        )
        _ = try client.ask(.setQueue(QueueChange(name: "default", isSuspended: true)))
        _ = try client.ask(.cancel([.operation(OperationID(job: job, index: 1))], queue: nil))
        #expect(
            try messages(job).last
                == "\(job)/1 was cancelled and never starts; it is finished once the queue \"default\", which is suspended, "
                + "is resumed."
        )
        _ = try client.ask(.setQueue(QueueChange(name: "default", isSuspended: false)))
        var submission = Submission(templates: [Template(work: Work(.noOperation))], entries: [])
        submission.entries = (0..<140).map { Entry(isBarrier: $0 % 2 == 0) }
        guard case .job(let many, _, _) = try client.ask(.submit(submission)) else {
            throw Unexpected(answer: "no job")
        }
        let found = try client.document(WaitingDocument.self, .waiting(many))
        #expect(found.reasons.count == 50 && found.more > 0)
        #expect(found.reasons.reduce(found.more) { $0 + $1.count } == 140)
        try harness.stop()
    }

    @Test("A wait tells the progress that executing operations report, if it is asked for")
    func partial() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let worker = try Peer(harness.server.endpoint)
        let session = try worker.join("w1", session: 7).session
        let job = try submit(client, Entry(), Entry())
        let attempt = try worker.receiveAttempt()
        let start = AttemptStart(attempt.token)
        try worker.send(WorkerMessage.report(session, AttemptReport(started: [start])).encoded())
        let half = OperationProgress(fraction: 0.5)
        // A report of a start that the coordinator has not read yet would change nothing.
        while true {
            guard
                case .changed(let report) = try client.ask(
                    .reportProgress(attempt.operation, attempt: attempt.attempt, half)
                )
            else { throw Unexpected(answer: "no change") }
            if report.changed == 1 { break }
        }
        func partial(_ addresses: [Address], queue: String? = nil, asks: Bool) throws -> UInt64? {
            let reply = try client.ask(.wait(addresses, queue: queue, atMost: .zero, waiter: nil, partial: asks))
            guard case .progress(let progress) = reply else { throw Unexpected(answer: "\(reply)") }
            return progress.partial
        }
        let executing = Address.operation(attempt.operation)
        #expect(try partial([.job(job)], asks: true) == 500_000)
        #expect(try partial([executing], asks: true) == 500_000)
        #expect(try partial([.operation(OperationID(job: job, index: 1))], asks: true) == 0)
        #expect(try partial([], queue: "default", asks: true) == 500_000)
        #expect(try partial([.job(job)], asks: false) == nil)
        try harness.stop()
    }

    // After a restart, the overview said 1 where the record has 70, and its chart began with the restart.
    @Test("Figures of a window come from the record after a restart")
    func windows() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let worker = try Peer(harness.server.endpoint)
        let session = try worker.join("w1", session: 7).session
        let job = try submit(client, Entry(), Entry())
        let wait = Request.wait([.job(job)], queue: nil, atMost: .seconds(3600), waiter: nil)
        let number = try client.begin(wait)
        for status in [1, 0] as [Int32] {
            let attempt = try worker.receiveAttempt()
            let completion = Completion(
                token: attempt.token,
                operation: attempt.operation,
                result: AttemptResult(end: .exited(status))
            )
            try worker.report([completion], of: session)
        }
        _ = try client.answer(to: number, repeating: wait)
        try harness.stop()
        let second = try Harness(directory: harness.directory)
        let later = try Peer(second.server.endpoint)
        #expect(try later.document(OverviewDocument.self, .overview(jobs: 20)).failedLastHour == 1)
        var buckets: [ThroughputDocument.Bucket] = []
        // The second of the ends may not be over yet.
        while buckets.reduce(0, { $0 + $1.failed }) < 1 {
            buckets = try later.document(ThroughputDocument.self, .throughput(seconds: 900)).buckets
        }
        #expect(buckets.reduce(0) { $0 + $1.failed } == 1 && buckets.reduce(0) { $0 + $1.succeeded } <= 1)
        try second.stop()
    }

    @Test("The failures of a deleted job do not count any more, before and after a restart, as the list of jobs shows")
    func deletedFailures() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let worker = try Peer(harness.server.endpoint)
        let session = try worker.join("w1", session: 7).session
        let jobs = try [submit(client, Entry(), Entry()), submit(client, Entry())]
        let wait = Request.wait(jobs.map(Address.job), queue: nil, atMost: .seconds(3600), waiter: nil)
        let number = try client.begin(wait)
        for _ in 0..<3 {
            let attempt = try worker.receiveAttempt()
            let result = AttemptResult(end: .exited(1))
            try worker.report(
                [Completion(token: attempt.token, operation: attempt.operation, result: result)],
                of: session
            )
        }
        _ = try client.answer(to: number, repeating: wait)
        func failures(_ peer: Peer) throws -> Int {
            try peer.document(OverviewDocument.self, .overview(jobs: 20)).failedLastHour
        }
        #expect(try failures(client) == 3)
        _ = try client.ask(.delete([jobs[0]]))
        #expect(try failures(client) == 1)
        try harness.stop()
        let second = try Harness(directory: harness.directory)
        #expect(try failures(Peer(second.server.endpoint)) == 1)
        try second.stop()
    }

    @Test("Failures count for an hour, to the minute, with one number a minute")
    func recentFailures() {
        let start = Timestamp(rawValue: 7_200_000_000)
        var failures = RecentFailures(at: start)
        #expect(failures.count(of: 3) == 3)
        for minute in 1...200 {
            for _ in 0..<2 { failures.note(minute * 10, at: start + .seconds(minute * 60)) }
            let expected = min(minute, 60) * 10
            #expect(failures.count(of: minute * 10) == expected, "\(minute)")
        }
        // Nobody looks for a long time.
        failures.note(2_000, at: start + .seconds(500 * 60))
        #expect(failures.count(of: 2_007) == 7)
        // After a restart, the hour had begun with the restart.
        var earlier = RecentEnds()
        for second in [0, 1, 3_599, 3_600] { earlier.seconds[3_600 + Int64(second), default: .init()].failed = 2 }
        earlier.seconds[3_000, default: .init()].failed = 100
        failures = RecentFailures(at: start, earlier: earlier)
        #expect(failures.count(of: 0) == 8 && failures.count(of: 1) == 9)
        failures.note(1, at: start + .seconds(61))
        #expect(failures.count(of: 1) == 5)
        failures.note(1, at: start + .seconds(60 * 60))
        #expect(failures.count(of: 1) == 3)
        failures.note(1, at: start + .seconds(62 * 60))
        #expect(failures.count(of: 1) == 0)
        var fewer = RecentFailures(at: start, earlier: earlier)
        let time = ShownTime(start: start, now: start, ahead: .zero)
        fewer.forget([60: 2, 119: 2, 1: 100], at: time)
        #expect(fewer.count(of: 0) == 4)
        // A deleted queue takes its failures away.
        #expect(failures.count(of: 1) == 0)
    }
}
