@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore

/// Decides when finished jobs are removed from the record, and which jobs have to stay.
///
/// Owns the time of the next check, the count of finished operations, the jobs on their way into the record, and the pins: jobs that a
/// task is about to use, such as the dependencies of a submission. Guarantees that one removal at a time is under way.
struct Removal {
    /// The interval between two checks of the jobs' ages.
    private static let interval = Duration.seconds(60)
    /// The most operations above the limit before a removal starts, when the limit is high.
    private static let mostInExcess = 10_000

    /// The number of operations in the jobs that finished since the last removal began.
    private var finishedOperations = 0
    /// Whether a removal has been requested from the record and not been answered.
    private(set) var isUnderWay = false
    /// Whether the record may have rows of jobs that are gone or never arrived; at a start, nobody knows.
    private(set) var isOwed = true
    /// Whether the removal that is under way began because it was owed.
    private var wasOwed = false
    private var nextCheck: Timestamp?
    /// The jobs whose rows are being stored in parts, and count as removed until then.
    private(set) var arrivingJobs: Set<JobNumber> = []
    private var pins: [UInt64: Set<JobNumber>] = [:]
    private var nextPin: UInt64 = 1

    /// Whether a check of the jobs' ages is due.
    func isDue(at now: Timestamp) -> Bool { !isUnderWay && now >= nextCheck ?? now }

    /// Whether enough operations have finished to make a removal worthwhile.
    func isWorthwhile(for retention: Retention) -> Bool {
        guard !isUnderWay, let limit = retention.operations else { return false }
        return finishedOperations > min(Self.mostInExcess, limit / 10)
    }

    /// Counts the operations of a finished job.
    mutating func noteFinished(_ operations: Int) { finishedOperations += operations }

    /// Notes that the record may have rows that are to be removed, although no job expires.
    mutating func owe() { isOwed = true }

    /// Notes that the record has been asked for a removal.
    mutating func begin(at now: Timestamp) {
        invariant(!isUnderWay, "A removal of finished jobs begins before the end of the last one.")
        isUnderWay = true
        (wasOwed, isOwed) = (isOwed, false)
        finishedOperations = 0
        nextCheck = now + Self.interval
    }

    /// Notes that the record has answered.
    ///
    /// - Parameter isDone: whether nothing is left to be removed; a removal that is not done stays owed if it was.
    mutating func end(isDone: Bool) {
        invariant(isUnderWay, "A removal of finished jobs ends that has not begun.")
        isUnderWay = false
        if !isDone, wasOwed { isOwed = true }
    }

    /// Notes that the rows of a job are being stored.
    mutating func beginArrival(of job: JobNumber) { arrivingJobs.insert(job) }

    /// Notes that no more rows of a job are stored in parts.
    mutating func endArrival(of job: JobNumber) {
        arrivingJobs.remove(job)
        owe()
    }

    /// The jobs that must not be removed.
    var pinnedJobs: Set<JobNumber> {
        var jobs: Set<JobNumber> = []
        for pinned in pins.values { jobs.formUnion(pinned) }
        return jobs
    }

    /// Keeps jobs from removal until ``unpin(_:)``.
    ///
    /// - Returns: the pin; nil if there are no jobs to pin.
    mutating func pin(_ jobs: Set<JobNumber>) -> UInt64? {
        guard !jobs.isEmpty else { return nil }
        defer { nextPin += 1 }
        pins[nextPin] = jobs
        return nextPin
    }

    /// Ends a pin.
    mutating func unpin(_ pin: UInt64) {
        let pinned = pins.removeValue(forKey: pin)
        invariant(pinned != nil, "The pin \(pin) ends, which does not exist.")
    }
}
