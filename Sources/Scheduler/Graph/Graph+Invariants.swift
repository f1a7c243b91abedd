@_spi(Baton) import BatonOperations

extension Graph {
    /// The violated invariants of addresses, edges and counts; empty unless the scheduler has a bug.
    ///
    /// - Complexity: O(nodes + edges + jobs).
    func violations() -> [String] {
        var found: [String] = []
        checkWaiting(&found)
        checkJobs(&found)
        return found
    }

    /// Checks that each pending node counts one unmet condition for each edge, delay and hold.
    private func checkWaiting(_ found: inout [String]) {
        var expected: [NodeIndex: Int32] = [:]
        var listed = 0
        func note(_ head: EdgeTable.Index?) {
            for edge in edges(from: head) {
                listed += 1
                if let dependent = resolve(edge.dependent) { expected[dependent, default: 0] += 1 }
            }
        }
        for place in nodeIndexes {
            note(self[place].dependents)
            if self[place].notBefore != nil { expected[place, default: 0] += 1 }
            if self[place].isHeld { expected[place, default: 0] += 1 }
            if fileWaits[place] != nil { expected[place, default: 0] += 1 }
        }
        for place in jobsByAge {
            note(self[place].join.dependents)
            for array in self[place].arrays { note(array.join.dependents) }
        }
        if !elementTable.isEmpty { expected.merge(conditionsOfElements(), uniquingKeysWith: +) }
        for place in nodeIndexes where self[place].state == .pending && self[place].waiting != expected[place] ?? 0 {
            found.append("\(id(of: self[place])) waits for \(self[place].waiting), told by \(expected[place] ?? 0)")
        }
        // The edges of a hidden job are in lists of its own.
        if hiddenJobCount == 0, listed != edgeCount {
            found.append("\(edgeCount) edges are in use, \(listed) in lists")
        }
    }

    /// Checks that the tables of a job that may have grown fit together.
    private func checkGrowth(of job: LiveJob, _ found: inout [String]) {
        let lists = [
            job.types.count, job.neededTypes.count, job.requests.count, job.requirements.count,
        ]
        if job.names.count != job.entries.count || job.meanDurations.count > job.templates.count
            || lists.contains(where: { $0 != 0 && $0 != job.templates.count })
        {
            found.append("job \(job.number) has tables of different lengths")
        }
        guard let growth = job.growth, growth.isOpen else { return }
        let names = job.names.indices.filter { !job.names[$0].isEmpty }
        if names.count != growth.names.count || names.contains(where: { growth.names[job.names[$0]] != Int32($0) }) {
            found.append("job \(job.number) has forgotten names")
        }
    }

    /// Checks the counts of jobs and of the cluster against the nodes.
    private func checkJobs(_ found: inout [String]) {
        var jobCounts: [JobIndex: JobCounts] = [:]
        var total = JobCounts()
        let rerunning = Set(reruns.values.map(\.place))
        for place in nodeIndexes where !rerunning.contains(place) {
            let node = self[place]
            jobCounts[node.job, default: JobCounts()].add(Int(node.count), to: node.state)
            total.add(Int(node.count), to: node.state)
        }
        var finished = 0
        for place in jobsByAge {
            let job = self[place]
            var counted = jobCounts[place] ?? JobCounts()
            for outcome in Outcome.allCases { counted[outcome] = job.counts[outcome] }
            (counted.notNeeded, counted.skippedAfterFailure) = (job.counts.notNeeded, job.counts.skippedAfterFailure)
            if counted != job.counts { found.append("job \(job.number) counts \(job.counts), has \(counted)") }
            if job.counts.total != job.operationCount { found.append("job \(job.number) lost count: \(job.counts)") }
            if job.counts.unfinished + (job.isOpen ? 1 : 0) != job.join.unfinished {
                found.append("job \(job.number) joins \(job.join)")
            }
            if job.join.unfinished == 0 { found.append("job \(job.number) is finished and in memory") }
            checkGrowth(of: job, &found)
            if self.job(job.number) != place { found.append("job \(job.number) is not found by its number") }
            if let key = job.key, keys[key]?.number != job.number {
                found.append("job \(job.number) is not found by its key")
            }
            for (number, array) in job.arrays.enumerated() {
                let members = (array.blocks + array.elements.values).reduce(0) { $0 + Int(self[$1].count) }
                if members != array.join.unfinished {
                    found.append("array \(number) of job \(job.number) has \(members), joins \(array.join)")
                }
            }
            finished += job.counts.finished
        }
        if jobsByAge.count != jobCount { found.append("\(jobsByAge.count) job numbers for \(jobCount) jobs") }
        for key in keys.all where keys[key].flatMap({ self.job($0.number) }) == nil {
            found.append("the key \(key) is that of no job")
        }
        for outcome in Outcome.allCases { total[outcome] = totals[outcome] }
        (total.notNeeded, total.skippedAfterFailure) = (totals.notNeeded, totals.skippedAfterFailure)
        if total != totals { found.append("the totals are \(totals), there are \(total)") }
        if totals.finished < finished { found.append("the totals count fewer finished operations than the jobs") }
    }
}
