@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore

extension SimulatedDisk {
    /// What is wrong with the totals at a start, which have to agree with the ends of operations and jobs on the disk.
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
        return found
    }
}
