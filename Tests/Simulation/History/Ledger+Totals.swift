@_spi(Baton) import BatonOperations
import BatonTestRecords

extension Ledger {
    /// What is wrong with the totals at a start, which have to agree with the ends of operations, attempts and jobs.
    ///
    /// A simulation removes no jobs and deletes no queues, and has so few queues that each has totals of its own.
    func violations(of totals: ClusterTotals) -> [String] {
        var queueNames: [JobNumber: [String]] = [:]
        for case .change(.job(let job)) in committed.rows.values {
            queueNames[job.number] = job.submission.entries.flatMap { entry in
                repeatElement(job.submission.queueNames[entry.queue], count: entry.count)
            }
        }
        var queues: [String: EndCounts] = [:]
        var jobs = EndCounts()
        var ends = AttemptEnds()
        for row in committed.rows.values {
            switch row {
            case .change(.operation(let record)):
                guard let outcome = record.outcome else { continue }
                ends.finished[outcome] += 1
                switch record.reason?.code {
                case .deadline? where outcome == .failed, .input? where outcome == .failed: ends.overdue += 1
                default: break
                }
                let name = queueNames[record.id.job]?[Int(record.id.index)] ?? ""
                queues[name, default: EndCounts()][outcome] += 1
            case .change(.jobFinished(_, let counts, _, _, _)): jobs[counts.outcome ?? .failed] += 1
            case .attempts(let attempts): ends.add(attempts)
            case .change(.files): ends.haveFiles = true
            default: break
            }
        }
        var found: [String] = []
        // A queue has its entry before its first end.
        if totals.queues.filter({ $0.value.sum > 0 }) != queues || totals.others != EndCounts() {
            found.append("the totals of the queues are \(totals.queues), should be \(queues)")
        }
        if totals.jobs != jobs { found.append("the totals of the jobs are \(totals.jobs), should be \(jobs)") }
        return found + ends.violations(of: totals.attempts)
    }
}

/// The ends of attempts that a record knows.
private struct AttemptEnds {
    /// The ends of operations.
    var finished = EndCounts()
    /// The number of operations that failed at their deadlines, or for lost files.
    var overdue: UInt64 = 0
    /// Whether attempts left files: an operation may then have succeeded in several attempts.
    var haveFiles = false
    private var (earlier, lost, stopped, mayBeTrimmed): (UInt64, UInt64, UInt64, Bool) = (0, 0, 0, false)

    /// Adds the earlier attempts of an operation.
    mutating func add(_ attempts: [AttemptRecord]) {
        earlier += UInt64(attempts.count)
        lost += UInt64(attempts.count { $0.reason.code == .lost && !$0.wasStopped })
        stopped += UInt64(attempts.count { $0.wasStopped })
        if attempts.count >= AttemptRecord.maximumCount { mayBeTrimmed = true }
    }

    /// What is wrong with the totals of attempts: each attempt of the record that has ended counts once.
    ///
    /// A cancelled operation, or one that failed at its deadline, may have had an attempt when it ended, or none, whose end may be of any
    /// kind.
    func violations(of totals: AttemptTotals) -> [String] {
        var found: [String] = []
        if haveFiles ? totals.succeeded < finished.succeeded : totals.succeeded != finished.succeeded {
            found.append("\(totals.succeeded) attempts have succeeded, should be \(finished.succeeded)")
        }
        if totals.lost < lost || totals.stopped < stopped {
            found.append("\(totals) should have at least \(lost) lost and \(stopped) stopped attempts")
        }
        if haveFiles { return found }
        let sum = totals.succeeded + totals.failed + totals.cancelled + totals.lost + totals.stopped
        let least = earlier + UInt64(finished.succeeded + finished.failed) - overdue
        let most = mayBeTrimmed ? .max : least + overdue + UInt64(finished.cancelled)
        if !(least...most).contains(sum) { found.append("\(sum) attempts have ended, should be \(least) to \(most)") }
        return found
    }
}
