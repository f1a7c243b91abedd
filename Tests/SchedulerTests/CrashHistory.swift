@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues
import Testing

@_spi(Baton) @testable import BatonScheduler

/// Coordinators that crash at random, in sequence, and workers that survive or crash too.
///
/// A crash may lose changes that the disk has not confirmed. Workers keep the attempts that the record lacks, and come
/// back with the attempts before the end of the reconcile window, in any order.
struct CrashHistory {
    /// A worker's process while no coordinator knows it.
    private struct Process {
        let name: String
        let life: WorkerLife
        /// What the process tells of earlier processes in its directory.
        let earlierStarts: EarlierStarts?
        var running: [Dispatch]
        var waiting: [Dispatch]
        var outbox: [Dispatch]
    }

    /// What a worker's directory has of its processes.
    private struct Ledger {
        var lives: [WorkerLife] = []
        /// The starts that a crash of the coordinator leaves without an acknowledgement, with the number of commits that must be on
        /// disk for one.
        var starts: [(start: StartedAttempt, commits: Int)] = []
    }

    private static let names = ["w1", "w2", "w3"]
    private static let once = Template(work: Work(.noOperation), restart: .never)

    private(set) var cluster = Cluster(Configuration(maximumLosses: 1000, sendAhead: .atMost(1)))
    private var numbers: SplitMix
    private var away: [Process] = []
    /// The attempts that workers have reported as ended, with the number of commits that must be on disk to contain the
    /// end.
    private var reported: [String: [(attempt: Dispatch, commits: Int)]] = [:]
    /// How many commits were confirmed when the disk became slow.
    private var confirmed = 0
    private var nextSession: UInt64 = 1000
    /// The directories, by the names of their workers; a worker without one has an empty directory.
    private var ledgers: [String: Ledger] = [:]
    private var nextProcess: Int32 = 0
    /// The attempt numbers of each operation's starts.
    private var numbersUsed: [OperationID: Set<UInt32>] = [:]
    /// The operations that run at most once, with the number of starts.
    private var starts: [OperationID: Int] = [:]
    /// The first rule that was broken.
    private(set) var failure: String?

    init(seed: UInt64) {
        numbers = SplitMix(seed: seed)
    }

    mutating func step() {
        switch numbers.number(0...15) {
        // Keep the disk slow for a while.
        case 0...1: if !cluster.isDiskSlow || numbers.chance(40) { submit() }
        case 2...5: letOneCome()
        case 6...10: letOneEnd()
        case 11...12: if !cluster.isDiskSlow || numbers.chance(20) { changeDisk() }
        case 13: if away.isEmpty || numbers.chance(20) { crash() }
        case 14: letOneLeave()
        default:
            // Absent workers come back in time.
            if away.isEmpty { cluster.pass(.milliseconds(numbers.number(0...6000))) }
        }
        check()
    }

    /// Lets all workers come back and all operations end.
    mutating func finishAll() {
        cluster.commit()
        while !away.isEmpty { comeBack(0) }
        cluster.pass(.seconds(5))
        cluster.join("last", slots: 2)
        for _ in 0..<2000 where cluster.scheduler.counts.unfinished > 0 && failure == nil {
            if cluster.workers.values.allSatisfy(\.running.isEmpty) {
                cluster.pass(.seconds(5))
            } else {
                letOneEnd()
            }
            check()
        }
        countStarts()
        if cluster.scheduler.counts.unfinished > 0 { fail("something never ends: \(cluster.scheduler.counts)") }
        for (operation, record) in cluster.record.operations {
            let isLost = starts[operation] != nil && record.reason?.code == .lost
            if record.outcome != .succeeded && !isLost { fail("\(operation) ended as \(record)") }
        }
        for (operation, count) in starts where count > 1 { fail("\(operation) was started \(count) times") }
    }

    private mutating func fail(_ rule: String) {
        failure = failure ?? rule
    }

    // MARK: - What happens

    private mutating func submit() {
        // Submissions that a client was told of are on disk.
        let wasSlow = cluster.isDiskSlow
        cluster.commit()
        var onceOnly = Entry.op()
        onceOnly.template = 1
        let job = cluster.submit(.op(), .op(on: .after(0)), onceOnly, templates: [.noOperation, Self.once])
        starts[job / 2] = 0
        if wasSlow { changeDisk() }
    }

    private mutating func letOneCome() {
        if let place = away.indices.randomElement(using: &numbers), numbers.chance(70) { return comeBack(place) }
        let there = Set(cluster.workers.values.map(\.name) + away.map(\.name))
        guard let name = numbers.pick(Self.names.filter { !there.contains($0) }) else { return }
        reported[name] = []
        nextProcess += 1
        // Now and then a directory is lost.
        if numbers.chance(20) { ledgers[name] = nil }
        cluster.join(
            name,
            slots: numbers.number(1...2),
            processID: nextProcess,
            earlierStarts: earlierStarts(of: name)
        )
        noteAcknowledgements(to: name)
        ledgers[name, default: Ledger()].lives.append(WorkerLife(rawValue: UInt64(nextProcess)))
    }

    private func earlierStarts(of name: String) -> EarlierStarts? {
        ledgers[name].map { EarlierStarts(lives: $0.lives, attempts: $0.starts.map(\.start)) }
    }

    /// Notes which starts in the ledger of a worker that has joined are acknowledged once the last commit is on disk.
    private mutating func noteAcknowledgements(to name: String) {
        let acknowledged = cluster.effects.compactMap { effect -> AttemptToken? in
            if case .acknowledge(_, let token, _) = effect { token } else { nil }
        }
        guard let starts = ledgers[name]?.starts else { return }
        for place in starts.indices where acknowledged.contains(starts[place].start.token) {
            ledgers[name]?.starts[place].commits = min(starts[place].commits, cluster.record.commits.count)
        }
    }

    /// Brings the ledgers to the state after a crash of the coordinator that loses the last commits.
    private mutating func keepLedgers(lost: Int) {
        let kept = cluster.record.commits.count - lost
        for name in ledgers.keys.sorted() {
            ledgers[name]?.starts.removeAll { $0.commits <= kept }
            // The lost commits never bring their acknowledgements.
            for place in ledgers[name]?.starts.indices ?? 0..<0 { ledgers[name]?.starts[place].commits = .max }
        }
        for worker in cluster.workers.values.sorted(by: { $0.name < $1.name }) { noteStarts(of: worker, lost: lost) }
    }

    /// Notes what a worker has started and will not hear of again.
    private mutating func noteStarts(of worker: TestWorker, lost: Int) {
        let kept = cluster.record.commits.count - lost
        let unacknowledged = (reported[worker.name] ?? []).filter { $0.commits > kept }.map(\.attempt)
        for attempt in attempts(worker.running) + unacknowledged where attempt.hookOutcome == nil {
            let start = StartedAttempt(token: attempt.token, operation: attempt.operation, attempt: attempt.attempt)
            ledgers[worker.name]?.starts.append((start, .max))
        }
    }

    private mutating func comeBack(_ place: Int) {
        let process = away.remove(at: place)
        let session = SessionID(rawValue: nextSession)
        nextSession += 1
        var introduction = Cluster.introduction(process.name, session, slots: 2, holding: process.running)
        introduction.life = process.life
        introduction.earlierStarts = process.earlierStarts
        introduction.attempts += process.waiting.map { ClaimedAttempt($0, .waiting) }
        introduction.attempts += process.outbox.map { ClaimedAttempt($0, .finished) }
        cluster.apply(.workerJoined(introduction))
        reported[process.name] = []
        for attempt in process.outbox { report(attempt, process.name, session) }
    }

    private mutating func letOneEnd() {
        let sessions = cluster.workers.keys.sorted { $0.rawValue < $1.rawValue }
        guard let worker = numbers.pick(sessions.compactMap { cluster.workers[$0] }.filter { !$0.running.isEmpty }),
            let attempt = numbers.pick(attempts(worker.running))
        else { return }
        report(attempt, worker.name, worker.session)
    }

    private mutating func letOneLeave() {
        let sessions = cluster.workers.keys.sorted { $0.rawValue < $1.rawValue }
        guard let session = numbers.pick(sessions) else { return }
        if let worker = cluster.workers[session] { noteStarts(of: worker, lost: 0) }
        cluster.apply(.workerLeft(session))
    }

    private mutating func report(_ attempt: Dispatch, _ name: String, _ session: SessionID) {
        let isAcknowledged = cluster.report(attempt, session: session).contains { effect in
            if case .acknowledge(_, attempt.token, _) = effect { true } else { false }
        }
        // An unacknowledged end stays in the outbox, whatever is on disk.
        reported[name, default: []].append((attempt, isAcknowledged ? cluster.record.commits.count : .max))
    }

    private mutating func changeDisk() {
        if cluster.isDiskSlow {
            cluster.commit()
        } else {
            confirmed = cluster.record.commits.count
            cluster.isDiskSlow = true
        }
    }

    private mutating func crash() {
        let commits = cluster.record.commits.count
        let lost = cluster.isDiskSlow ? numbers.number(0...(commits - confirmed)) : 0
        for session in cluster.workers.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            guard let worker = cluster.workers[session], numbers.chance(65) else { continue }
            away.append(
                Process(
                    name: worker.name,
                    life: life(of: session),
                    earlierStarts: earlierStarts(of: worker.name),
                    running: attempts(worker.running),
                    waiting: worker.waiting,
                    outbox: (reported[worker.name] ?? []).filter { $0.commits > commits - lost }.map(\.attempt)
                )
            )
        }
        countStarts()
        keepLedgers(lost: lost)
        cluster.restart(from: cluster.record.withoutLast(lost))
    }

    /// The life of the worker with a session.
    private func life(of session: SessionID) -> WorkerLife {
        let scheduler = cluster.scheduler
        return scheduler.workers.index(ofSession: session).map { scheduler.workers[$0].introduction.life }
            ?? WorkerLife(rawValue: 0)
    }

    // MARK: - What must hold

    private func attempts(_ tokens: Set<AttemptToken>) -> [Dispatch] {
        cluster.sent.filter { tokens.contains($0.token) }
    }

    /// Counts the starts of this coordinator's life.
    private mutating func countStarts() {
        for attempt in cluster.started where starts[attempt.operation] != nil { starts[attempt.operation]? += 1 }
        for attempt in cluster.started
        where !numbersUsed[attempt.operation, default: []].insert(attempt.attempt).inserted {
            fail("\(attempt.operation) was started twice as attempt \(attempt.attempt)")
        }
    }

    /// Checks that no operation runs twice, except after a request to end the attempt at a worker.
    private mutating func check() {
        let here = cluster.workers.values.flatMap { attempts($0.running.subtracting($0.ending)) }
        var running: Set<OperationID> = []
        for attempt in here + away.flatMap(\.running) where !running.insert(attempt.operation).inserted {
            fail("\(attempt.operation) runs in two places")
        }
    }
}
