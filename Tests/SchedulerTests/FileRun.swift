@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues
import Testing

@_spi(Baton) @testable import BatonScheduler

/// A random history of operations that leave files, and of workers that lose them, with a check of each step.
///
/// The run knows what the scheduler was told of copies, and by the record what each operation needs. It predicts no dispatch, and checks
/// that each was allowed: nothing is sent whose files have no copy, nothing runs again whose files are there, and nothing that has
/// finished changes.
struct FileRun {
    private static let queues = ["a", "b"]
    private static let names = ["w1", "w2", "w3"]

    /// What a test has to have met.
    enum Situation: CaseIterable {
        case rerun, lineage, lostAgain, failedForInput, returned, restarted, restartedWithRerun, otherContent,
            elementRerun, fetched
    }

    private var random: SplitMix
    private(set) var cluster = Cluster()
    private var jobs: [JobNumber] = []
    private var sessions: [String: SessionID] = [:]
    /// What each worker has on its disk, connected or not.
    private var disks: [String: Set<ContentDigest>] = [:]
    /// How often each worker has got another disk.
    private var generations: [String: UInt64] = [:]
    private var nextContent: UInt64 = 1
    private var nextProcess: Int32 = 10
    /// The end of each finished operation as it was first told.
    private var ends: [OperationID: (outcome: Outcome, at: Timestamp)] = [:]
    /// The highest number of a started attempt.
    private var attempts: [OperationID: UInt32] = [:]
    /// How many dispatches and starts were looked at.
    private var checkedDispatches = 0
    private var checkedStarts = 0
    /// What was wrong.
    private(set) var faults: [String] = []
    /// What has happened.
    private(set) var seen: Set<Situation> = []

    init(seed: UInt64) {
        random = SplitMix(seed: seed)
        let limit = seed % 3 == 0 ? 2 : 0
        cluster = Cluster(Configuration(sendAhead: .atMost(limit)))
        // The invariants take most of the time, and what breaks one seldom mends it with the next event.
        cluster.checkInterval = seed % 8 == 0 ? 1 : 5
    }

    mutating func run() {
        for name in Self.names { join(name) }
        for _ in 0..<80 { step() }
        complete()
    }

    // MARK: - Steps

    private mutating func step() {
        switch random.number(0...33) {
        case ..<6: submit()
        case ..<17: finishSomething()
        case ..<20: lose()
        case ..<22: drop()
        case 22: goSilent()
        case 23: if let name = random.pick(Self.names), sessions[name] == nil { join(name) }
        case 24: request()
        case 25: cluster.suspend(random.pick(Self.queues) ?? "a")
        case 26, 27: cluster.resume(random.pick(Self.queues) ?? "a")
        case 28: reportAgain()
        case 29: restart()
        case 30, 31: slowDown()
        default: endFetches()
        }
        check()
    }

    private mutating func submit() {
        var entries: [Entry] = []
        for position in 0..<random.number(1...6) {
            var dependencies: [Dependency] = []
            let isArray = random.chance(25)
            let count = isArray ? random.number(1...4) : 1
            for target in 0..<position where random.chance(45) {
                let isElementwise = isArray && entries[target].array != nil && entries[target].count == count
                if isElementwise, random.chance(70) {
                    dependencies.append(.needsElements(target))
                } else {
                    dependencies.append(random.chance(80) ? .needs(target) : .after(target))
                }
            }
            if random.chance(20), let job = random.pick(jobs) {
                let id = job / 0
                dependencies.append(random.chance(80) ? .needs(id) : .on(.job(job)))
            }
            entries.append(
                Entry(
                    template: random.chance(8) ? 1 : random.chance(30) ? 2 : 0,
                    queue: random.number(0...1),
                    priority: random.chance(80) ? .normal : .high,
                    isHeld: random.chance(5),
                    isBarrier: !isArray && random.chance(5),
                    dependencies: dependencies,
                    array: isArray ? .numbers(first: 0, step: 1, count: count) : nil
                )
            )
        }
        let templates = [Template.leavingFiles, .leavingFilesOnce, .leavingFiles(retries: 1)]
        let submission = Submission(queueNames: Self.queues, templates: templates, entries: entries)
        if case .job(let job, _, _)? = cluster.answer(to: submission) { jobs.append(job) }
    }

    /// The attempts that run at connected workers.
    private var running: [Dispatch] {
        var found: [Dispatch] = []
        for name in Self.names {
            guard let session = sessions[name], let worker = cluster.workers[session] else { continue }
            for token in worker.running.sorted() {
                guard var attempt = cluster.sent.last(where: { $0.token == token }) else { continue }
                attempt.session = session
                found.append(attempt)
            }
        }
        return found
    }

    private mutating func finishSomething() {
        guard let attempt = random.pick(running) else { return }
        finish(attempt)
    }

    private mutating func finish(_ attempt: Dispatch, failing percent: Int = 6) {
        guard let name = sessions.first(where: { $0.value == attempt.session })?.key else { return }
        // Whatever was sent before was sent without the files of this end.
        check()
        if cluster.workers[attempt.session]?.ending.contains(attempt.token) == true {
            cluster.report(attempt, .cancelled(exitStatus: 0, signal: nil))
            return
        }
        guard !random.chance(percent) else {
            cluster.report(attempt, .exited(1))
            return
        }
        let earlier = cluster.record.files[attempt.operation]?.files
        var files = (0..<random.number(0...2)).map { number in
            nextContent += 1
            // Some operations leave what others have left.
            return KeptFile("f\(number)", random.chance(15) ? nextContent % 5 : 1000 + nextContent)
        }
        if let earlier {
            if random.chance(80) { files = earlier } else if files != earlier { seen.insert(.otherContent) }
        }
        let digests = files.map(\.digest)
        disks[name, default: []].formUnion(digests)
        // What a worker keeps is told before or after the end of the attempt, which tells it as well if it counts.
        let possession = cluster.scheduler.possession(of: attempt.token, attempt.operation, in: attempt.session)
        if possession != .held || random.chance(50) {
            cluster.apply(.filesHeld(attempt.session, digests, isFirst: false))
        }
        cluster.finish(attempt, leaving: files)
        check()
        cluster.apply(.filesHeld(attempt.session, digests, isFirst: false))
    }

    // MARK: - Workers

    private mutating func join(_ name: String, holding: [Dispatch] = []) {
        nextProcess += 1
        guard let number = Self.names.firstIndex(of: name) else { return }
        let id = WorkerID(rawValue: UInt64(number + 1) + 10 * generations[name, default: 0])
        let session = cluster.join(name, slots: 2, holding: holding, processID: nextProcess, id: id)
        // What it has counts from its report on.
        check()
        sessions[name] = session
        report(name)
    }

    private mutating func report(_ name: String) {
        guard let session = sessions[name] else { return }
        cluster.apply(.filesHeld(session, (disks[name] ?? []).sorted(), isFirst: true))
    }

    /// A worker goes with its disk.
    private mutating func lose() {
        guard let name = random.pick(sessions.keys.sorted()) else { return }
        cluster.expel(name)
        sessions[name] = nil
        disks[name] = []
        generations[name, default: 0] += 1
        if random.chance(70) { join(name) }
    }

    /// A worker loses a file.
    private mutating func drop() {
        guard let name = random.pick(sessions.keys.sorted()), let session = sessions[name],
            let digest = random.pick((disks[name] ?? []).sorted())
        else { return }
        disks[name]?.remove(digest)
        cluster.apply(.filesDropped(session, [digest]))
    }

    /// A worker is silent until it counts as lost; its disk stays, and it comes back as another process.
    private mutating func goSilent() {
        guard let name = random.pick(sessions.keys.sorted()), let session = sessions[name] else { return }
        let end = cluster.now + cluster.scheduler.configuration.lostAfter + .seconds(1)
        // Until it counts as lost, others may be sent what needs its files.
        while let deadline = cluster.scheduler.nextDeadline, deadline <= end {
            cluster.pass(max(deadline - cluster.now, .zero), silent: session)
            if cluster.scheduler.session(ofWorker: name) != session { sessions[name] = nil }
            check()
        }
        cluster.pass(end - cluster.now, silent: session)
        sessions[name] = nil
        check()
        seen.insert(.returned)
        if random.chance(80) { join(name) }
    }

    /// A worker begins another session with all that it has.
    private mutating func reportAgain() {
        if let name = random.pick(sessions.keys.sorted()) { report(name) }
    }

    /// A worker takes its time with the files of some operation.
    private mutating func slowDown() {
        guard let name = random.pick(sessions.keys.sorted()), let session = sessions[name], let job = random.pick(jobs),
            let count = cluster.record.jobs[job]?.submission.operationCount, count > 0
        else { return }
        cluster.delayFetches(of: job / random.number(0...count - 1), at: session)
    }

    /// A worker has the files of all attempts that it was sent.
    private mutating func endFetches() {
        if let name = random.pick(sessions.keys.sorted()) { endFetches(at: name) }
    }

    private mutating func endFetches(at name: String) {
        guard let session = sessions[name], let attempts = cluster.workers[session]?.fetching, !attempts.isEmpty
        else { return }
        let needed = attempts.flatMap { needs(of: $0.operation) }.flatMap { cluster.record.files[$0]?.files ?? [] }
        let fetched = Set(needed.map(\.digest)).filter { isHeld($0) }
        disks[name, default: []].formUnion(fetched)
        cluster.workers[session]?.endFetches()
        cluster.apply(.filesHeld(session, fetched.sorted(), isFirst: false))
    }

    private mutating func request() {
        guard let job = random.pick(jobs), let count = cluster.record.jobs[job]?.submission.operationCount, count > 0
        else { return }
        let id = job / random.number(0...count - 1)
        switch random.number(0...4) {
        case 0: cluster.cancel(.operation(id))
        case 1: cluster.hold(.operation(id))
        case 2: cluster.release(.job(job))
        case 3: cluster.setPriority(.operation(id), to: .low)
        default: cluster.cancel(.job(job))
        }
    }

    private mutating func restart() {
        let present = running
        seen.insert(.restarted)
        if present.contains(where: { ends[$0.operation] != nil }) { seen.insert(.restartedWithRerun) }
        let names = sessions.keys.sorted()
        let earlier = sessions
        sessions = [:]
        cluster.restart()
        checkedStarts = 0
        for name in names where random.chance(90) {
            join(name, holding: present.filter { $0.session == earlier[name] })
        }
        cluster.pass(cluster.scheduler.configuration.reconcileTime)
    }

    // MARK: - Checks

    /// The operations on whose files an operation depends.
    private func needs(of id: OperationID) -> [OperationID] {
        guard let submission = cluster.record.jobs[id.job]?.submission else { return [] }
        var firsts: [Int] = []
        var next = 0
        for entry in submission.entries {
            firsts.append(next)
            next += entry.count
        }
        guard let own = firsts.lastIndex(where: { $0 <= Int(id.index) }) else { return [] }
        func all(_ entry: Int) -> [OperationID] {
            (firsts[entry]..<firsts[entry] + submission.entries[entry].count).map { id.job / $0 }
        }
        return submission.entries[own].dependencies.flatMap { dependency -> [OperationID] in
            switch dependency.target {
            case .entry(let entry): return all(entry)
            case .element(let entry, let position): return [id.job / (firsts[entry] + Int(position))]
            case .elements(let entry): return [id.job / (firsts[entry] + Int(id.index) - firsts[own])]
            case .existing(.operation(let other)): return [other]
            case .existing(.job(let job)): return cluster.record.files.keys.filter { $0.job == job }.sorted()
            case .existingElements(.operations(let job, let range)):
                return [job / (Int(range.lowerBound) + Int(id.index) - firsts[own])]
            case .existing, .existingElements: return []
            }
        }
    }

    private func isHeld(_ digest: ContentDigest) -> Bool {
        sessions.keys.contains { disks[$0]?.contains(digest) ?? false }
    }

    /// The files of an operation of which no worker has a copy.
    private func lost(of id: OperationID) -> [KeptFile] {
        cluster.record.files[id]?.files.filter { !isHeld($0.digest) } ?? []
    }

    /// Checks what has happened since the last check.
    private mutating func check() {
        let (sent, started) = (cluster.sent.dropFirst(checkedDispatches), cluster.started.dropFirst(checkedStarts))
        (checkedDispatches, checkedStarts) = (cluster.sent.count, cluster.started.count)
        for attempt in sent {
            let id = attempt.operation
            for need in needs(of: id) where !lost(of: need).isEmpty {
                faults.append("\(id) was sent, and files of \(need) have no copy")
            }
            guard ends[id] != nil else { continue }
            seen.insert(.rerun)
            if attempt.attempt > 2 { seen.insert(.lostAgain) }
            if needs(of: id).contains(where: { (cluster.record.files[$0]?.attempt ?? 0) > 1 }) { seen.insert(.lineage) }
            let graph = cluster.scheduler.graph
            if let job = graph.job(id.job), graph.array(withElement: id.index, of: job) != nil {
                seen.insert(.elementRerun)
            }
            if lost(of: id).isEmpty { faults.append("\(id) runs again, and its files are there") }
            if ends[id]?.outcome != .succeeded { faults.append("\(id) runs again without having succeeded") }
        }
        for attempt in started {
            let last = attempts[attempt.operation] ?? 0
            if attempt.attempt <= last { faults.append("\(attempt.operation) was started again as attempt \(last)") }
            attempts[attempt.operation] = max(last, attempt.attempt)
        }
        for (id, record) in cluster.record.operations {
            guard let outcome = record.outcome, let moment = record.finishedAt else {
                if ends[id] != nil { faults.append("\(id) has finished, and is \(record.state)") }
                continue
            }
            if let end = ends[id], end.outcome != outcome || end.at != moment {
                faults.append("\(id) has ended in another way, or at another time")
            }
            ends[id] = (outcome, moment)
            if record.reason?.code == .input { seen.insert(.failedForInput) }
        }
        let workers = cluster.scheduler.workers
        if workers.indexes.contains(where: { workers[$0].sent.fetchingCount > 0 }) { seen.insert(.fetched) }
        for (id, count) in cluster.ends where count != 1 { faults.append("\(id) has ended \(count) times") }
        checkBarriers()
    }

    /// Checks that nothing runs beside a barrier of its queue, not even again.
    private mutating func checkBarriers() {
        let present = running
        for barrier in present where ends[barrier.operation] == nil {
            guard let place = entry(of: barrier.operation), place.isBarrier else { continue }
            for other in present where other.token != barrier.token {
                guard entry(of: other.operation)?.queue == place.queue else { continue }
                faults.append("\(other.operation) runs beside the barrier \(barrier.operation)")
            }
        }
    }

    /// The entry of an operation in its submission.
    private func entry(of id: OperationID) -> Entry? {
        var next = 0
        return cluster.record.jobs[id.job]?.submission.entries.first { entry in
            next += entry.count
            return Int(id.index) < next
        }
    }

    // MARK: - The end

    private mutating func complete() {
        for name in Self.names where sessions[name] == nil { join(name) }
        for queue in Self.queues { cluster.resume(queue) }
        for job in jobs { cluster.release(.job(job)) }
        var rounds = 0
        while cluster.scheduler.counts.unfinished > 0 || !cluster.scheduler.graph.reruns.isEmpty, rounds < 5000 {
            rounds += 1
            for name in Self.names { endFetches(at: name) }
            if let attempt = random.pick(running) {
                finish(attempt, failing: 1)
            } else if let deadline = cluster.scheduler.nextDeadline {
                cluster.pass(max(deadline - cluster.now, .zero))
            }
            check()
        }
        for job in jobs where cluster.record.finished[job] == nil { faults.append("job \(job) did not end") }
        if !cluster.scheduler.graph.reruns.isEmpty { faults.append("something runs again for nobody") }
        if !cluster.scheduler.files.isEmpty { faults.append("files are kept in mind for nobody") }
    }
}
