@_spi(Baton) import BatonOperations

@_spi(Baton) @testable import BatonSupply

/// A model of slurmctld with some nodes, and of the cluster whose workers run there.
///
/// A step of time starts jobs, lets workers join and work, and ends those that are idle.
struct SlurmModel {
    /// What goes wrong, as shares of 100.
    struct Faults {
        /// A submission that is refused.
        var refusals = 0
        /// A submission whose answer is lost after the job was made.
        var lostAnswers = 0
        /// A submission that is lost before the job was made.
        var lostSubmissions = 0
        /// A job that ends before its worker joins.
        var brokenWorkers = 0
        /// A list that fails.
        var lostLists = 0
    }

    struct Job {
        var id: String
        var comment: SupplyComment
        var state = SupplyJob.State.queued(reason: nil)
        var startedAt: Duration?
        var hasJoined = false
        var isBroken = false
        var idleSince: Duration?
        var endedAt: Duration?

        var isLive: Bool { endedAt == nil }
        var isQueued: Bool { if case .queued = state { true } else { false } }
    }

    var nodes: Int
    var slots: Int
    var faults: Faults
    var idleExit = Duration.seconds(30)
    /// The time from the start of a job to the join of its worker.
    var startTime = Duration.seconds(3)
    /// The operations that wait, each of which takes ten seconds of a slot.
    var operations = 0
    var finished = 0
    private(set) var jobs: [Job] = []
    private(set) var now = Duration.zero
    private var generator: SplitMix
    private var running: [String: [Duration]] = [:]

    init(seed: UInt64, nodes: Int, slots: Int, faults: Faults = Faults()) {
        self.nodes = nodes
        self.slots = slots
        self.faults = faults
        generator = SplitMix(seed: seed)
    }

    private mutating func happens(_ share: Int) -> Bool {
        share > 0 && Int.random(in: 0..<100, using: &generator) < share
    }

    var live: [Job] { jobs.filter(\.isLive) }

    /// Makes a job of a submission, or not.
    mutating func submit(_ comment: SupplyComment) -> SubmissionOutcome {
        if happens(faults.refusals) { return .refused("sbatch failed with status 1: no.") }
        if happens(faults.lostSubmissions) { return .unknown("sbatch did not answer in time") }
        let id = "\(jobs.count + 1)"
        jobs.append(Job(id: id, comment: comment, isBroken: happens(faults.brokenWorkers)))
        return happens(faults.lostAnswers) ? .unknown("sbatch did not answer in time") : .accepted(id)
    }

    /// The jobs as squeue lists them; nil if it fails.
    mutating func list() -> [SupplyJob]? {
        if happens(faults.lostLists) { return nil }
        // slurmctld forgets a job some minutes after its end.
        return jobs.filter { job in job.endedAt.map { now - $0 < .seconds(300) } ?? true }
            .map { SupplyJob(id: $0.id, comment: $0.comment, state: $0.state) }
    }

    /// The jobs whose workers have joined the cluster.
    var joined: Set<String> { Set(jobs.filter(\.hasJoined).map(\.id)) }

    /// The further workers that would find work.
    var wanted: Int { (operations + slots - 1) / slots }

    mutating func cancel(_ ids: [String]) {
        for place in jobs.indices where ids.contains(jobs[place].id) && jobs[place].isQueued {
            end(place, "CANCELLED")
        }
    }

    private mutating func end(_ place: Int, _ word: String) {
        jobs[place].state = .ended(word)
        jobs[place].endedAt = now
        running[jobs[place].id] = nil
    }

    /// Lets a second pass.
    mutating func pass() {
        now += .seconds(1)
        for place in jobs.indices where jobs[place].isLive {
            if jobs[place].isQueued {
                guard jobs.count(where: { $0.isLive && !$0.isQueued }) < nodes else {
                    jobs[place].state = .queued(reason: "Resources")
                    continue
                }
                (jobs[place].state, jobs[place].startedAt) = (.running, now)
                continue
            }
            if !jobs[place].hasJoined {
                guard let start = jobs[place].startedAt, now - start >= startTime else { continue }
                guard !jobs[place].isBroken else {
                    end(place, "FAILED")
                    continue
                }
                jobs[place].hasJoined = true
            }
            work(at: place)
        }
    }

    /// Lets a worker end and start operations, and leave once it has been idle for long.
    private mutating func work(at place: Int) {
        let (id, moment) = (jobs[place].id, now)
        var ends = running[id] ?? []
        let before = ends.count
        ends.removeAll { $0 <= moment }
        finished += before - ends.count
        while ends.count < slots, operations > 0 {
            operations -= 1
            ends.append(now + .seconds(10))
        }
        running[id] = ends
        jobs[place].idleSince = ends.isEmpty ? jobs[place].idleSince ?? now : nil
        if let since = jobs[place].idleSince, now - since >= idleExit { end(place, "COMPLETED") }
    }
}
