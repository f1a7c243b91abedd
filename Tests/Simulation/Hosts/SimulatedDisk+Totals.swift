@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore

extension SimulatedDisk {
    /// What is wrong with the totals at a start, which have to agree with the ends of operations, attempts and jobs on the disk.
    ///
    /// A simulation removes no jobs and deletes no queues, and has so few queues that each has totals of its own.
    func violations(of totals: ClusterTotals) -> [String] {
        var queues: [String: EndCounts] = [:]
        var jobs = EndCounts()
        for job in allJobs {
            let submission = job.job.submission
            let queueNames = submission.entries.flatMap { entry in
                repeatElement(submission.queueNames[entry.queue], count: entry.count)
            }
            for record in job.records {
                guard let outcome = record.outcome else { continue }
                for index in record.id.index..<record.id.index + record.count {
                    queues[queueNames[Int(index)], default: EndCounts()][outcome] += 1
                }
            }
            let summary = (try? base.job(job.job.number)) ?? nil
            if let summary, summary.finishedAt != nil { jobs[summary.counts?.outcome ?? .failed] += 1 }
        }
        var found: [String] = []
        // A queue has its entry before its first end.
        if totals.queues.filter({ $0.value.sum > 0 }) != queues || totals.others != EndCounts() {
            found.append("the totals of the queues are \(totals.queues), should be \(queues)")
        }
        if totals.jobs != jobs { found.append("the totals of the jobs are \(totals.jobs), should be \(jobs)") }
        return found + violations(of: totals.attempts)
    }

    /// What is wrong with the totals of attempts: each attempt of the record that has ended counts once.
    ///
    /// A cancelled operation may have had an attempt when it ended, or none, whose end may be of any kind.
    private func violations(of totals: AttemptTotals) -> [String] {
        var (earlier, lost, stopped, mayBeTrimmed): (UInt64, UInt64, UInt64, Bool) = (0, 0, 0, false)
        var finished = EndCounts()
        for job in allJobs {
            for record in job.records {
                if let outcome = record.outcome { finished[outcome] += Int(record.count) }
                let attempts = (try? base.attempts(of: record.id)) ?? []
                earlier += UInt64(attempts.count)
                lost += UInt64(attempts.count { $0.reason.code == .lost && !$0.wasStopped })
                stopped += UInt64(attempts.count { $0.wasStopped })
                if attempts.count >= AttemptRecord.maximumCount { mayBeTrimmed = true }
            }
        }
        var found: [String] = []
        if totals.succeeded != finished.succeeded {
            found.append("\(totals.succeeded) attempts have succeeded, should be \(finished.succeeded)")
        }
        if totals.lost < lost || totals.stopped < stopped {
            found.append("\(totals) should have at least \(lost) lost and \(stopped) stopped attempts")
        }
        let sum = totals.succeeded + totals.failed + totals.cancelled + totals.lost + totals.stopped
        let least = earlier + UInt64(finished.succeeded + finished.failed)
        let most = mayBeTrimmed ? .max : least + UInt64(finished.cancelled)
        if !(least...most).contains(sum) { found.append("\(sum) attempts have ended, should be \(least) to \(most)") }
        return found
    }
}
