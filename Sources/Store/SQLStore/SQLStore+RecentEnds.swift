@_spi(Baton) public import BatonOperations

@_spi(Baton) extension SQLStore {
    /// Reads what happened in the last hour, for the figures of a starting coordinator.
    ///
    /// - Complexity: O(operations of the jobs that were unfinished in this hour).
    /// - Parameter clock: the last reading of the record's own clock; nil if the clock has not begun.
    public func recentEnds(before now: Timestamp, clock: Timestamp?) throws(StoreError) -> RecentEnds {
        try with { statements throws(SQLError) in
            // The clock is never faster than the time of day.
            let finishedSince = ((clock ?? now) + RecentEnds.back).rawValue
            if let server = statements.server {
                return try server.recentEnds(before: now, ofJobsFinishedSince: finishedSince)
            }
            var jobs: [UInt32] = []
            statements.jobs.jobsFinishedSince.bind(.since, finishedSince)
            for statement in [statements.jobs.unfinishedJobs, statements.jobs.jobsFinishedSince] {
                try statement.forEach { row throws(SQLError) in
                    jobs.append(try row.number(0))
                    return true
                }
            }
            let since = (now + RecentEnds.back).rawValue
            let end = now.rawValue / 1_000_000
            var recent = RecentEnds()
            for job in jobs {
                statements.times.endsBySecond.bind((.job, Int64(job)), (.since, since))
                try statements.times.endsBySecond.forEach { row throws(SQLError) in
                    try recent.countEnds(in: row, until: end)
                    return true
                }
                statements.times.startsBySecond.bind((.job, Int64(job)), (.since, since))
                try statements.times.startsBySecond.forEach { row throws(SQLError) in
                    let second: Int64 = try row.number(0)
                    if second <= end { recent.seconds[second, default: .init()].started += 1 }
                    return true
                }
            }
            return recent
        }
    }
}

extension RecentEnds {
    /// Counts the ended operations of the current row of a statement: a second, an outcome and a number.
    ///
    /// - Parameter end: the last second that counts; a clock that was set back leaves times that have not come yet.
    mutating func countEnds(in row: Statement, until end: Int64) throws(SQLError) {
        let second: Int64 = try row.number(0)
        guard second <= end else { return }
        let count: Int = try row.number(2)
        if try row.text(1) == "failed" {
            seconds[second, default: .init()].failed += count
        } else {
            seconds[second, default: .init()].succeeded += count
        }
    }
}
