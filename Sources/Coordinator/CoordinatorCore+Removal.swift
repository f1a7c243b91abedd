import BatonLogging
import BatonOperations
import BatonStore

/// When finished jobs are removed from the record.
struct Removal {
    /// How many operations of jobs have finished since something was removed last.
    var finishedOperations = 0
    /// Whether the record was asked to remove something, and has not answered.
    private(set) var isUnderWay = false
    private var next: Timestamp?

    /// How long the age of jobs is not looked at.
    private static let interval = Duration.seconds(60)
    /// How many operations may be too many, where many are kept.
    private static let mostInExcess = 10_000

    /// Whether it is time to look.
    func isDue(at now: Timestamp) -> Bool { !isUnderWay && now >= next ?? now }

    /// Whether enough has finished since.
    func isWorthwhile(for retention: Retention) -> Bool {
        guard !isUnderWay, let limit = retention.operations else { return false }
        return finishedOperations > min(Self.mostInExcess, limit / 10)
    }

    /// Notes that the record is asked.
    mutating func begin(at now: Timestamp) {
        isUnderWay = true
        finishedOperations = 0
        next = now + Self.interval
    }

    /// Notes that it has answered.
    mutating func end() {
        isUnderWay = false
    }
}

extension CoordinatorCore {
    /// Has the record remove some of what need not be kept any more; whatever else is to be kept or read comes in between.
    func removeFinished() {
        guard options.retention != .forever, storeTrouble == nil else { return }
        removal.begin(at: now)
        read { [retention = options.retention, pinned = pinnedJobs, recordTime] store throws(StoreError) in
            try store.removeFinished(beyond: retention, except: pinned, at: recordTime)
        } then: { result in
            .removed(result)
        }
    }

    /// Goes on until there is nothing more to remove.
    func noteRemoval(_ result: Result<Bool, StoreError>) {
        removal.end()
        switch result {
        case .success(let mayBeMore): if mayBeMore { removeFinished() }
        case .failure(let error):
            // It is tried again in a while; whoever is told anything is told by what has to be kept.
            logger.warning("finished jobs cannot be removed from the record", metadata: ["error": "\(error)"])
        }
    }

    /// The jobs that somebody is still to be told about, or that are about to be depended on.
    private var pinnedJobs: Set<JobNumber> {
        var jobs = waits.jobs
        for pinned in pins.values { jobs.formUnion(pinned) }
        for outgoing in uncommitted.map(\.outgoing) + [afterCommit] {
            for case .waitAnswer(let wait) in outgoing { jobs.formUnion(wait.targets.lazy.compactMap(\.job)) }
        }
        return jobs
    }
}
