/// The decisions of a supply, which has a batch system run workers for as long as there is work for them.
///
/// The decisions use no batch system, no clock and no disk. The caller passes the results of each look (``look(_:at:)``), asks for the next
/// step (``step(at:mark:)``), and passes the outcome of each submission (``submitted(_:at:)``). Moments are times since any beginning.
///
/// The batch system's list of jobs is the record of a supply. A job that waits, or whose worker has not joined yet, counts as one of the
/// wanted workers, so that a slow start never leads to more workers.
@_spi(Baton) public struct Supply: Sendable {
    /// A job that has not ended.
    struct Live: Hashable {
        /// The comment of the job.
        var comment: SupplyComment
        /// Whether it waits in the batch system.
        var isQueued: Bool
        /// The reason why it waits.
        var reason: String?
        /// Whether its worker has joined the cluster.
        var hasJoined = false
        /// Whether it was cancelled.
        var isCancelled = false
        /// Its place in the order of submissions.
        var order: Int
    }

    /// A submission whose answer was lost, so that the job may exist or not.
    struct Uncertain: Hashable {
        var comment: SupplyComment
        var since: Duration
        var reason: String
    }

    /// The name of the supply.
    public let name: String
    /// The limits.
    public let settings: SupplySettings

    private(set) var jobs: [String: Live] = [:]
    private(set) var uncertain: Uncertain?
    /// The submission under way, from its step to its outcome.
    private(set) var underWay: SupplyComment?
    /// The number of failures since a worker has joined.
    private(set) var failures = 0
    /// The sentence about the last failure.
    private var lastFailure = ""
    private var notBefore = Duration.zero
    private var surplusSince: Duration?
    /// The number of wanted workers at the last look; nil if the last look has failed or there was none.
    private var wanted: Int?
    private var hasListed = false
    private var nextOrder = 0

    /// A supply that knows of no job yet.
    ///
    /// - Parameter unfinished: the comment of a submission that an earlier run of the supply had begun and not ended.
    public init(name: String, settings: SupplySettings, unfinished: SupplyComment? = nil, at now: Duration = .zero) {
        self.name = name
        self.settings = settings
        uncertain = unfinished.map { Uncertain(comment: $0, since: now, reason: "the supply ended meanwhile") }
    }

    /// Whether the list of jobs is needed for the next look: at the start, while a job lives, and after a failure.
    public var needsList: Bool { !hasListed || !jobs.isEmpty || uncertain != nil || failures > 0 }

    /// Whether the workers of the cluster are needed for the next look: while a job runs whose worker has not joined.
    ///
    /// - Parameter listed: the jobs of that look.
    public func needsWorkers(_ listed: [SupplyJob]) -> Bool {
        listed.contains { job in
            guard job.comment.supply == name else { return false }
            let known = jobs[job.id]
            return switch job.state {
            case .queued: false
            case .running: known?.hasJoined != true
            case .ended: known?.hasJoined == false || job.comment == uncertain?.comment
            }
        } || jobs.contains { id, job in !job.hasJoined && !listed.contains { $0.id == id } }
    }

    /// The jobs that wait in the batch system, in the order of their submission.
    public var queuedJobs: [String] {
        jobs.filter { $0.value.isQueued && !$0.value.isCancelled }.sorted { $0.value.order < $1.value.order }.map(\.key)
    }

    /// The number of jobs that have not ended.
    public var liveCount: Int { jobs.count }

    /// The number of jobs whose workers have joined.
    public var joinedCount: Int { jobs.values.count(where: \.hasJoined) }

    /// The submission without a known outcome; nil if there is none.
    public var unfinished: SupplyComment? { underWay ?? uncertain?.comment }

    // MARK: - What is seen

    /// Takes the results of a look at the batch system and at the coordinator.
    ///
    /// - Returns: what has happened since the last look.
    public mutating func look(_ look: SupplyLook, at now: Duration) -> [SupplyNote] {
        var notes: [SupplyNote] = []
        wanted = look.wanted
        if let listed = look.jobs {
            take(listed, at: now, &notes)
            noteJoins(look.joined, &notes)
            takeEnds(listed, at: now, &notes)
            hasListed = true
        } else {
            noteJoins(look.joined, &notes)
        }
        let isSurplus = surplus > 0
        surplusSince = isSurplus ? surplusSince ?? now : nil
        return notes
    }

    /// Notes that a look has failed: the supply decides nothing until the next look.
    public mutating func lookFailed() {
        wanted = nil
        surplusSince = nil
    }

    /// Takes the states of the listed jobs that have not ended, and adds jobs that were not known.
    private mutating func take(_ listed: [SupplyJob], at now: Duration, _ notes: inout [SupplyNote]) {
        for job in listed where job.comment.supply == name {
            let isMissing = job.comment == uncertain?.comment
            if isMissing { uncertain = nil }
            var reason: String?
            var isQueued = false
            switch job.state {
            case .queued(let why): (isQueued, reason) = (true, why)
            case .running: break
            // An ended job of an earlier run does not matter. The job of the uncertain submission has begun and ended meanwhile.
            case .ended: if jobs[job.id] == nil, !isMissing { continue }
            }
            guard var known = jobs[job.id] else {
                jobs[job.id] = Live(comment: job.comment, isQueued: isQueued, reason: reason, order: takeOrder())
                notes.append(
                    SupplyNote(.found, job: job.id, "Job \(job.id) is worker \(job.comment.number) of this supply.")
                )
                continue
            }
            if isQueued, reason != known.reason, let reason {
                notes.append(SupplyNote(.waits, job: job.id, "Job \(job.id) waits: \(reason)."))
            }
            (known.isQueued, known.reason) = (isQueued, reason)
            // The job has started before its cancellation, or the batch system did not cancel it.
            if case .ended = job.state {} else { known.isCancelled = false }
            jobs[job.id] = known
        }
        if let lost = uncertain, now - lost.since >= settings.appearance {
            uncertain = nil
            fail("Nobody knows of the job that was submitted: \(lost.reason).", job: nil, at: now, &notes)
        }
    }

    private mutating func noteJoins(_ joined: Set<String>, _ notes: inout [SupplyNote]) {
        for id in jobs.keys.sorted() where joined.contains(id) && jobs[id]?.hasJoined == false {
            jobs[id]?.hasJoined = true
            (failures, notBefore) = (0, .zero)
            notes.append(SupplyNote(.joined, job: id, "The worker of job \(id) has joined."))
        }
    }

    /// Takes the ends of jobs, including jobs that the batch system does not list any more.
    private mutating func takeEnds(_ listed: [SupplyJob], at now: Duration, _ notes: inout [SupplyNote]) {
        let states = Dictionary(listed.map { ($0.id, $0.state) }) { $1 }
        for (id, job) in jobs.sorted(by: { $0.value.order < $1.value.order }) {
            let word: String
            switch states[id] {
            case .queued, .running: continue
            case .ended(let text): word = " (\(text))"
            case nil: word = ""
            }
            jobs[id] = nil
            if job.hasJoined || job.isCancelled {
                notes.append(SupplyNote(.ended, job: id, "Job \(id) has ended\(word)."))
            } else {
                fail("Job \(id) ended\(word) before its worker joined.", job: id, at: now, &notes)
            }
        }
    }

    private mutating func fail(_ sentence: String, job: String?, at now: Duration, _ notes: inout [SupplyNote]) {
        failures += 1
        lastFailure = sentence
        notBefore = now + settings.pause(afterFailures: failures)
        notes.append(SupplyNote(.failed, job: job, sentence))
    }

    // MARK: - What to do

    /// The number of queued jobs beyond the number of wanted workers.
    private var surplus: Int {
        let queued = queuedJobs.count
        let starting = jobs.values.count(where: { !$0.isQueued && !$0.hasJoined && !$0.isCancelled })
        return min(queued, queued + starting - (wanted ?? Int.max / 2))
    }

    /// The next step; nil to wait for another look.
    ///
    /// Several steps may follow one look, so ask again after each step. There is no step between the submission of a job and its outcome.
    ///
    /// - Parameter mark: makes the mark that distinguishes a submission from all other submissions.
    public mutating func step(at now: Duration, mark: () -> String) -> SupplyStep? {
        guard let wanted, hasListed, underWay == nil else { return nil }
        if failures >= settings.mostFailures, jobs.isEmpty, uncertain == nil {
            return .end("\(failures) attempts to start a worker in a row have failed. The last one: \(lastFailure)")
        }
        if surplus > 0, let surplusSince, now - surplusSince >= settings.surplusPatience {
            // The last ones wait at the end of the line, and would start last.
            let last = Array(queuedJobs.suffix(surplus))
            for id in last { jobs[id]?.isCancelled = true }
            self.surplusSince = nil
            return .cancel(last)
        }
        let coming = jobs.values.count(where: { !$0.hasJoined && !$0.isCancelled })
        guard uncertain == nil, now >= notBefore, wanted > coming, queuedJobs.count < settings.backlog,
            jobs.count < settings.maximumWorkers
        else { return nil }
        let comment = SupplyComment(supply: name, number: freeNumber, mark: mark())
        underWay = comment
        return .submit(comment)
    }

    /// Takes the outcome of the submission under way.
    ///
    /// - Returns: what has happened.
    public mutating func submitted(_ outcome: SubmissionOutcome, at now: Duration) -> [SupplyNote] {
        guard let comment = underWay else { return [] }
        underWay = nil
        var notes: [SupplyNote] = []
        switch outcome {
        case .accepted(let id):
            jobs[id] = Live(comment: comment, isQueued: true, order: takeOrder())
            notes.append(SupplyNote(.submitted, job: id, "Job \(id) was submitted as worker \(comment.number)."))
        case .refused(let sentence): fail(sentence, job: nil, at: now, &notes)
        case .unknown(let sentence): uncertain = Uncertain(comment: comment, since: now, reason: sentence)
        }
        return notes
    }

    /// The lowest number of a worker that no job has.
    private var freeNumber: Int {
        let taken = Set(jobs.values.map(\.comment.number))
        return (1...taken.count + 1).first { !taken.contains($0) } ?? taken.count + 1
    }

    private mutating func takeOrder() -> Int {
        nextOrder += 1
        return nextOrder
    }
}
