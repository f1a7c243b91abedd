@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues
import Testing

@_spi(Baton) @testable import BatonScheduler

/// Random histories of their own, so that those of ``RandomTests`` stay what they are; the cluster checks all invariants.
@Suite("Random histories with deadlines and rates", .timeLimit(.minutes(60)))
struct RandomTimesTests {
    /// The queue with a rate.
    fileprivate static let paced = "paced"
    /// The shortest time between two starts in it.
    fileprivate static let interval = Duration.milliseconds(400)
    fileprivate static let workerNames = ["w1", "w2"]

    /// A history, with what the end of it is compared with.
    fileprivate struct History {
        let seed: UInt64
        var random: SplitMix
        var cluster: Cluster
        /// The latest end of each operation that has a deadline.
        var deadlines: [OperationID: Timestamp] = [:]
        var jobs: [JobNumber] = []
        /// When attempts were started.
        var begun: [AttemptToken: Timestamp] = [:]
        /// When operations of the queue with a rate were sent to workers since the last start of the coordinator: a start counts then.
        var sent: [Timestamp] = []
        /// The numbers of starts and of sent attempts that were looked at.
        var (seenStarts, seenSent) = (0, 0)
        /// What the history met: ends at a deadline before a start and after one, and waits of the queue with a rate.
        var met: Set<String> = []

        init(seed: UInt64) {
            self.seed = seed
            random = SplitMix(seed: seed)
            let ahead = random.chance(30) ? SendAhead.automatic : .atMost(random.number(0...3))
            cluster = Cluster(Configuration(sendAhead: ahead, operationsPerTurn: random.number(1...4)))
        }
    }

    @Test("SC5 CO10 Operations end once, none starts after its deadline, and a queue keeps to its rate")
    func histories() {
        var met: Set<String> = []
        for seed in 1...40 as ClosedRange<UInt64> {
            var history = History(seed: seed)
            history.play()
            history.complete()
            history.check()
            met.formUnion(history.met)
        }
        #expect(met == ["unstarted", "started", "rate"])
    }
}

extension RandomTimesTests.History {
    /// The attempts that run at workers.
    private var running: [(session: SessionID, attempt: Dispatch)] {
        var found: [(session: SessionID, attempt: Dispatch)] = []
        for attempt in cluster.running.values {
            let session = cluster.workers.first { $0.value.running.contains(attempt.token) }?.key
            if let session { found.append((session, attempt)) }
        }
        return found.sorted { $0.attempt.operation < $1.attempt.operation }
    }

    mutating func play() {
        for name in RandomTimesTests.workerNames { cluster.join(name, slots: 2) }
        let rate = QueueChange.Rate("150/m")
        cluster.request { .setQueue(QueueChange(name: RandomTimesTests.paced, startRate: rate), request: $0) }
        for _ in 0..<60 {
            switch random.number(0...99) {
            case ..<20: submit()
            case ..<50: finishOne()
            case ..<80: pass(.milliseconds(random.number(1...2000)))
            case ..<84: pass(.seconds(random.number(2...12)))
            case ..<88: cluster.suspend("free")
            case ..<92: cluster.resume("free")
            case ..<96: if let job = random.pick(jobs) { cluster.cancel(.operation(job / random.number(0...3))) }
            default: restart()
            }
            noteAttempts()
        }
    }

    private mutating func submit() {
        func template(_ seconds: Int?, retries: UInt16) -> Template {
            var template = Template.retrying(retries)
            template.deadline = seconds.map { .seconds($0) }
            return template
        }
        let options: [Int?] = [nil, 2, 9]
        let templates = options.enumerated().map { template($1, retries: UInt16($0)) }
        let count = random.number(1...6)
        var submission = Submission(queueNames: ["free", RandomTimesTests.paced], templates: templates, entries: [])
        if random.chance(25) { submission.settings.deadline = .seconds(random.number(1...12)) }
        for position in 0..<count {
            var entry = Entry(
                template: random.number(0...2),
                queue: random.chance(40) ? 1 : 0,
                delay: random.chance(15) ? .milliseconds(random.number(1...6000)) : nil,
                isHeld: random.chance(8),
                array: random.chance(20) ? .numbers(first: 0, step: 1, count: random.number(1...5)) : nil
            )
            // A delay that lasts until the deadline of its operation is refused.
            if let deadline = templates[entry.template].deadline, let delay = entry.delay, delay >= deadline {
                entry.delay = nil
            }
            if position > 0, random.chance(40) {
                let condition: DependencyCondition = random.chance(50) ? .success : .any
                entry.dependencies.append(Dependency(on: .entry(random.number(0...position - 1)), condition: condition))
            }
            submission.entries.append(entry)
        }
        guard case .job(let job, _, _)? = cluster.answer(to: submission) else {
            Issue.record("refused: \(cluster.effects)")
            return
        }
        jobs.append(job)
        var index = 0
        for entry in submission.entries {
            let option: Duration? = options[entry.template].map { .seconds($0) }
            let least = [option, submission.settings.deadline].compactMap { $0 }.min()
            for _ in 0..<entry.count {
                deadlines[job / index] = least.map { cluster.now + $0 }
                index += 1
            }
        }
    }

    private mutating func finishOne() {
        guard let (session, attempt) = random.pick(running) else { return }
        var end = random.pick([AttemptEnd.exited(0), .exited(0), .exited(1), .interrupted]) ?? .exited(0)
        if cluster.workers[session]?.ending.contains(attempt.token) == true, random.chance(80) {
            end = .cancelled(exitStatus: nil, signal: 15)
        }
        cluster.report(attempt, end, after: duration(of: attempt), session: session, seed: random.next())
    }

    /// How long an attempt has run, as its worker tells with its end.
    private func duration(of attempt: Dispatch) -> Duration {
        begun[attempt.token].map { cluster.now - $0 } ?? .zero
    }

    private mutating func pass(_ duration: Duration) {
        let end = cluster.now + duration
        // Attempts are looked at when they are sent and start.
        while let deadline = cluster.scheduler.nextDeadline, deadline < end {
            cluster.pass(max(.zero, deadline - cluster.now))
            noteAttempts()
        }
        cluster.pass(end - cluster.now)
        noteAttempts()
    }

    /// Notes which attempts were sent and have started since the last look: it happened just now.
    private mutating func noteAttempts() {
        for attempt in cluster.started[seenStarts...] { begun[attempt.token] = cluster.now }
        seenStarts = cluster.started.count
        for attempt in cluster.sent[seenSent...] where attempt.queue == RandomTimesTests.paced {
            sent.append(cluster.now)
        }
        seenSent = cluster.sent.count
        let isWaiting = cluster.scheduler.timers.all.contains {
            if case .queueRate = $0.purpose { true } else { false }
        }
        if isWaiting { met.insert("rate") }
    }

    /// Restarts the coordinator, to which all workers come back at once.
    private mutating func restart() {
        checkRate()
        let kept = running
        let names = cluster.workers.mapValues(\.name)
        cluster.restart()
        (sent, seenStarts) = ([], 0)
        for name in RandomTimesTests.workerNames {
            let held = kept.filter { names[$0.session] == name }.map(\.attempt)
            cluster.join(name, slots: 2, holding: held)
            for attempt in held { cluster.running[attempt.operation] = attempt }
        }
    }

    /// Lets all that is left come to its end.
    mutating func complete() {
        cluster.resume("free")
        for job in jobs { cluster.release(.job(job)) }
        var rounds = 0
        while cluster.scheduler.counts.unfinished > 0, rounds < 1000 {
            rounds += 1
            if let (session, attempt) = running.first {
                let isEnding = cluster.workers[session]?.ending.contains(attempt.token) == true
                cluster.report(
                    attempt,
                    isEnding ? .cancelled(exitStatus: nil, signal: 15) : .exited(0),
                    after: duration(of: attempt),
                    session: session
                )
            } else {
                pass(.milliseconds(500))
            }
            noteAttempts()
        }
    }

    mutating func check() {
        #expect(cluster.scheduler.counts.unfinished == 0, "seed \(seed)")
        #expect(cluster.ends.values.allSatisfy { $0 == 1 }, "seed \(seed)")
        checkRate()
        for (id, deadline) in deadlines.sorted(by: { $0.key < $1.key }) {
            guard let record = cluster.last(id), record.state == .finished else {
                Issue.record("seed \(seed): \(id) has no end")
                continue
            }
            if let start = record.startedAt {
                #expect(start <= deadline, "seed \(seed): \(id) started after its deadline")
            }
            guard let reason = record.reason, reason.code == .deadline else { continue }
            #expect(record.outcome == .failed && (record.finishedAt ?? deadline) >= deadline, "seed \(seed): \(record)")
            met.insert(record.attempt == 0 ? "unstarted" : "started")
        }
    }

    /// Checks that operations of the queue with a rate were sent far enough from each other.
    private func checkRate() {
        for (one, next) in zip(sent, sent.dropFirst()) {
            #expect(next - one >= RandomTimesTests.interval, "seed \(seed): \(sent)")
        }
    }
}
