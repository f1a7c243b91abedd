import BatonLogging
import BatonOperations
import BatonStore

/// Decides when to remove finished jobs from the record.
struct Removal {
    /// The number of operations in the jobs that finished since the last removal began.
    var finishedOperations = 0
    /// Whether a removal has been requested from the record and not been answered.
    private(set) var isUnderWay = false
    private var next: Timestamp?

    /// The interval between two checks of the jobs' ages.
    private static let interval = Duration.seconds(60)
    /// The most operations above the limit before a removal starts, when the limit is high.
    private static let mostInExcess = 10_000

    /// Whether a check is due.
    func isDue(at now: Timestamp) -> Bool { !isUnderWay && now >= next ?? now }

    /// Whether enough operations have finished to make a removal worthwhile.
    func isWorthwhile(for retention: Retention) -> Bool {
        guard !isUnderWay, let limit = retention.operations else { return false }
        return finishedOperations > min(Self.mostInExcess, limit / 10)
    }

    /// Notes that the record has been asked for a removal.
    mutating func begin(at now: Timestamp) {
        isUnderWay = true
        finishedOperations = 0
        next = now + Self.interval
    }

    /// Notes that the record has answered.
    mutating func end() {
        isUnderWay = false
    }
}

extension CoordinatorCore {
    /// Removes some expired jobs from the record; other changes and readings proceed between two such steps.
    func removeFinished() {
        guard options.retention != .forever, storeTrouble == nil else { return }
        removal.begin(at: now)
        read { [retention = options.retention, pinned = pinnedJobs, recordTime] store throws(StoreError) in
            try store.removeFinished(beyond: retention, except: pinned, at: recordTime)
        } then: { result in
            .removed(result)
        }
    }

    /// Requests further removals until the record has no more jobs to remove.
    func noteRemoval(_ result: Result<Bool, StoreError>) {
        removal.end()
        switch result {
        case .success(let mayBeMore): if mayBeMore { removeFinished() }
        case .failure(let error):
            // The next check tries again. Clients learn of a broken record from failed changes, not from a failed removal.
            logger.warning("finished jobs cannot be removed from the record", metadata: ["error": "\(error)"])
        }
    }

    /// The jobs that a client waits for, or that a pending request is about to use, for example as dependencies.
    private var pinnedJobs: Set<JobNumber> {
        var jobs = waits.jobs
        for pinned in pins.values { jobs.formUnion(pinned) }
        for outgoing in uncommitted.map(\.outgoing) + [afterCommit] {
            for case .waitAnswer(let wait) in outgoing { jobs.formUnion(wait.targets.lazy.compactMap(\.job)) }
        }
        return jobs
    }
}
