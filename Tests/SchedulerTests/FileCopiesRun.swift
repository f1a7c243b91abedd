@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonTestValues

@_spi(Baton) @testable import BatonScheduler

/// A random history of operations whose files several workers are to keep.
///
/// The workers copy, fail to, lose and drop files, come and go. The cluster checks after each event that every wanted copy is planned
/// that some worker could make; the run checks that workers are asked for what they may be asked for, and at the end that each file has
/// its copies.
struct FileCopiesRun {
    private static let names = ["w1", "w2", "w3", "w4"]

    private var random: SplitMix
    private var cluster = Cluster()
    private var jobs: [JobNumber] = []
    private var sessions: [String: SessionID] = [:]
    private var disks: [SessionID: Set<ContentDigest>] = [:]
    /// What each worker was asked to copy, and has not answered.
    private var asked: [SessionID: Set<ContentDigest>] = [:]
    /// What each worker may delete.
    private var spare: [SessionID: Set<ContentDigest>] = [:]
    /// How often a worker was allowed to delete a copy of a needed content.
    private(set) var surplusCount = 0
    private var nextContent: UInt64 = 1
    private var nextProcess: Int32 = 20
    /// What was wrong.
    private(set) var faults: [String] = []

    init(seed: UInt64) { random = SplitMix(seed: seed) }

    mutating func run() {
        for name in Self.names { join(name) }
        for _ in 0..<120 { step() }
        complete()
    }

    private mutating func apply(_ event: Event) {
        cluster.apply(event)
        takeEffects()
    }

    private mutating func takeEffects() {
        for effect in cluster.effects {
            switch effect {
            case .copyFiles(let session, let files):
                for file in files {
                    if !asked[session, default: []].insert(file.digest).inserted {
                        faults.append("\(file.digest) is asked for twice")
                    }
                    if disks[session]?.contains(file.digest) ?? false {
                        faults.append("\(file.digest) is asked for where it is")
                    }
                }
                if asked[session, default: []].count > FileCopies.mostUnderWay {
                    faults.append("too many copies are under way")
                }
            case .releaseFiles(let session, let digests):
                asked[session]?.subtract(digests)
                for digest in digests { noteRelease(of: digest, in: session) }
            case .retainFiles(let session, let digests): spare[session]?.subtract(digests)
            default: break
            }
        }
        cluster.effects = []
    }

    /// Notes that a worker may delete a content; if the content is needed, other workers have to keep enough copies.
    private mutating func noteRelease(of digest: ContentDigest, in session: SessionID) {
        spare[session, default: []].insert(digest)
        let files = cluster.scheduler.files
        guard files.isNeeded(digest) else { return }
        let kept = cluster.scheduler.holders(of: digest).count { spare[$0]?.contains(digest) != true }
        if kept < files.copies.count(of: digest) { faults.append("\(digest) may go, and \(kept) copies are left") }
        surplusCount += 1
    }

    /// Lets time pass, in which all workers are heard, or one is not.
    private mutating func pass() {
        let silent = random.chance(30) ? random.pick(sessions.keys.sorted()).flatMap { sessions[$0] } : nil
        let time = silent == nil ? SurplusCopies.pause + .seconds(1) : cluster.scheduler.configuration.suspectAfter
        let end = cluster.now + time
        while cluster.now < end {
            cluster.now = min(end, cluster.now + .seconds(5))
            for session in sessions.keys.sorted().compactMap({ sessions[$0] }) where session != silent {
                apply(.workerHeard(session))
            }
            apply(.timePassed)
        }
        if let silent { apply(.workerHeard(silent)) }
    }

    /// A lost worker joins again, with random files of the present workers.
    private mutating func comeBack() {
        guard let name = random.pick(Self.names.filter { sessions[$0] == nil }) else { return }
        var disk: Set<ContentDigest> = []
        for known in disks.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            for digest in (disks[known] ?? []).sorted() where random.chance(50) { disk.insert(digest) }
        }
        join(name, with: disk)
    }

    private mutating func step() {
        switch random.number(0...21) {
        case ..<4: submit()
        case ..<9: finish()
        case ..<14: answer(isRefusal: random.chance(20))
        case 14: drop()
        case 15: lose()
        case 16: if let name = random.pick(Self.names.filter { sessions[$0] == nil }) { join(name) }
        case 17: rejoin()
        case 18: drain()
        case 19: pass()
        case 20: comeBack()
        default: cancel()
        }
    }

    private mutating func submit() {
        let copies = random.number(1...3)
        let settings = JobSettings(keepFiles: random.chance(50) ? .seconds(36_000) : nil)
        jobs.append(cluster.submit(.op(), .op(), templates: [.leavingFiles(copies: copies)], settings: settings))
        takeEffects()
    }

    private mutating func finish() {
        let present = cluster.running.values.filter { attempt in
            cluster.workers[attempt.session]?.running.contains(attempt.token) ?? false
        }
        guard let attempt = random.pick(present.sorted { $0.token < $1.token }) else { return }
        guard cluster.workers[attempt.session]?.ending.contains(attempt.token) != true else {
            cluster.report(attempt, .cancelled(exitStatus: 0, signal: nil))
            return takeEffects()
        }
        let files = (0..<random.number(0...3)).map { number in
            nextContent += 1
            return KeptFile("f\(number)", random.chance(20) ? nextContent % 4 : 100 + nextContent)
        }
        keep(files.map(\.digest), in: attempt.session)
        asked[attempt.session]?.subtract(files.map(\.digest))
        cluster.finish(attempt, leaving: files)
        takeEffects()
        // The worker reports the files that it kept, also files that it was asked to copy.
        apply(.filesHeld(attempt.session, files.map(\.digest), isFirst: false))
    }

    private mutating func answer(isRefusal: Bool) {
        guard let session = random.pick(asked.keys.sorted { $0.rawValue < $1.rawValue }),
            let digest = random.pick((asked[session] ?? []).sorted())
        else { return }
        asked[session]?.remove(digest)
        if isRefusal {
            let holders = random.chance(40) ? cluster.scheduler.holders(of: digest).prefix(1) : []
            apply(.filesNotCopied(session, [digest], givers: holders.isEmpty ? [:] : [digest: Array(holders)]))
            for holder in holders { verify(digest, at: holder) }
        } else {
            keep([digest], in: session)
            apply(.filesHeld(session, [digest], isFirst: false))
        }
    }

    /// Puts contents on a worker's disk; a content that is new on the disk may not be deleted.
    private mutating func keep(_ digests: [ContentDigest], in session: SessionID) {
        for digest in digests where disks[session, default: []].insert(digest).inserted {
            spare[session]?.remove(digest)
        }
    }

    /// A worker looks at a copy that is in doubt.
    private mutating func verify(_ digest: ContentDigest, at session: SessionID) {
        if random.chance(50) {
            apply(.filesHeld(session, [digest], isFirst: false))
        } else {
            disks[session]?.remove(digest)
            apply(.filesDropped(session, [digest]))
        }
    }

    private mutating func drop() {
        guard let session = random.pick(disks.keys.sorted { $0.rawValue < $1.rawValue }),
            let digest = random.pick((disks[session] ?? []).sorted())
        else { return }
        disks[session]?.remove(digest)
        apply(.filesDropped(session, [digest]))
    }

    private mutating func join(_ name: String, with disk: Set<ContentDigest> = []) {
        nextProcess += 1
        guard let number = Self.names.firstIndex(of: name) else { return }
        let session = cluster.join(name, slots: 2, processID: nextProcess, id: WorkerID(rawValue: UInt64(number) + 1))
        sessions[name] = session
        disks[session] = disk
        takeEffects()
        apply(.filesHeld(session, disk.sorted(), isFirst: true))
    }

    private mutating func lose() {
        guard let name = random.pick(sessions.keys.sorted()), let session = sessions.removeValue(forKey: name) else {
            return
        }
        (disks[session], asked[session]) = (nil, nil)
        cluster.expel(name)
        takeEffects()
    }

    /// A worker begins another session, in another process, with what it has.
    private mutating func rejoin() {
        guard let name = random.pick(sessions.keys.sorted()), let session = sessions[name] else { return }
        let disk = disks.removeValue(forKey: session) ?? []
        asked[session] = nil
        join(name, with: disk)
    }

    private mutating func drain() {
        guard let name = random.pick(sessions.keys.sorted()) else { return }
        let isDrained = random.chance(40)
        cluster.request { isDrained ? .drain([name], request: $0) : .undrain([name], request: $0) }
        takeEffects()
    }

    private mutating func cancel() {
        guard let job = random.pick(jobs) else { return }
        cluster.cancel(.job(job))
        takeEffects()
    }

    /// Lets all workers come back, and copy what they are asked for.
    private mutating func complete() {
        for name in Self.names where sessions[name] == nil { join(name) }
        let names = Self.names
        cluster.request { .undrain(names, request: $0) }
        takeEffects()
        var rounds = 0
        while asked.values.contains(where: { !$0.isEmpty }), rounds < 10_000 {
            rounds += 1
            answer(isRefusal: false)
        }
        for (job, sources) in cluster.scheduler.files.sources {
            for (index, source) in sources {
                for digest in source.digests {
                    let holders = cluster.scheduler.holders(of: digest).count
                    let able = Self.names.count { name in
                        guard let session = sessions[name],
                            let worker = cluster.scheduler.workers.index(ofSession: session)
                        else { return false }
                        return !cluster.scheduler.files.copies.isRefused(digest, by: worker)
                    }
                    if holders > 0, holders < min(source.copies, able) {
                        faults.append("\(job)/\(index) has \(holders) copies of a file")
                    }
                }
            }
        }
    }
}
