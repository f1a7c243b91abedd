@_spi(Baton) public import BatonOperations

/// The removal of finished jobs that need not be kept any more.
///
/// A job disappears at once, as nothing is found without its row in `jobs`. The other rows are removed in as many steps as
/// necessary, also after a restart; meanwhile `removed_jobs` contains the number of the job.
@_spi(Baton) extension SQLStore {
    /// The approximate number of rows removed in one transaction.
    private static let rowsPerStep = 1000
    /// The most pages that each step returns to the file system.
    private static let pagesPerStep = 1024
    /// How many free pages are kept for later changes.
    private static let sparePages = 1024

    /// Removes some finished jobs, or a part of a large job.
    ///
    /// - Complexity: O(a thousand rows), plus O(older jobs that have to stay).
    public func removeFinished(
        beyond retention: Retention,
        except pinned: Set<JobNumber>,
        at now: Timestamp
    ) throws(StoreError) -> Bool {
        let mayBeMore = try transaction { statements throws(SQLError) in
            var room = Self.rowsPerStep
            var jobs: ArraySlice<JobNumber>?
            while room > 0 {
                if let job = try Self.removedJob(except: pinned, statements) {
                    room -= try self.removeRows(of: job, atMost: room, statements)
                } else {
                    if jobs == nil {
                        jobs = try self.jobsToRemove(beyond: retention, except: pinned, at: now, statements)[...]
                    }
                    guard let job = jobs?.popFirst() else { return false }
                    try self.remove(job, statements)
                    room -= 1
                }
            }
            return true
        }
        return try giveBackPages() || mayBeMore
    }

    /// The first job that is gone and has rows left, except some whose rows are still being stored.
    private static func removedJob(
        except pinned: Set<JobNumber>,
        _ statements: Statements
    ) throws(SQLError) -> JobNumber? {
        var found: JobNumber?
        try statements.removal.removedJobs.forEach { row throws(SQLError) in
            let job = JobNumber(try row.number(0))
            guard !pinned.contains(job) else { return true }
            found = job
            return false
        }
        return found
    }

    /// Removes finished jobs at somebody's request.
    ///
    /// - Complexity: O(jobs).
    public func remove(_ jobs: Set<JobNumber>, except used: Set<JobNumber>) throws(StoreError) -> JobRemoval {
        try transaction { statements throws(SQLError) in
            for job in jobs.sorted() {
                statements.jobs.job.bind(.job, job.rawValue)
                guard let summary = try statements.jobs.job.first({ row throws(SQLError) in try row.jobSummary() })
                else {
                    return .missing(job)
                }
                guard summary.finishedAt != nil else { return .unfinished(job) }
                guard !used.contains(job), !self.neededJobs.contains(job) else { return .needed(job) }
                statements.hooks.jobHasHooks.bind(.job, job.rawValue)
                let hasHooks = try statements.hooks.jobHasHooks.first { row throws(SQLError) in try row.flag(0) }
                guard hasHooks != true else { return .hasHooks(job) }
            }
            for job in jobs.sorted() { try self.remove(job, statements) }
            try self.count(statements)
            return .removed
        }
    }

    /// Returns the failures of removed jobs, once.
    public func takeRemovedFailures() -> [Int64: Int] {
        defer { removedFailures = [:] }
        return removedFailures
    }

    /// Returns the jobs to be removed, oldest first: all of them, or as many as one step can remove.
    private func jobsToRemove(
        beyond retention: Retention,
        except pinned: Set<JobNumber>,
        at now: Timestamp,
        _ statements: Statements
    ) throws(SQLError) -> [JobNumber] {
        var kept = -Int(try Self.meta("removed_operations", statements))
        for outcome in Outcome.allCases { kept += Int(try Self.meta("finished_\(outcome)", statements)) }
        let newest = try statements.removal.newestFinishedJob.first { row throws(SQLError) in
            JobNumber(try row.number(0))
        }
        var found: [JobNumber] = []
        try statements.removal.finishedJobs.forEach { row throws(SQLError) in
            let job = JobNumber(try row.number(0))
            let isExceeded = retention.isExceeded(
                byJobOf: Timestamp(rawValue: try row.number(1)),
                keptOperations: kept,
                isNewest: job == newest,
                at: now
            )
            // All following jobs were finished later.
            guard isExceeded else { return false }
            guard !pinned.contains(job), !self.neededJobs.contains(job) else { return true }
            found.append(job)
            kept -= try row.number(2, as: Int.self)
            return found.count < Self.rowsPerStep
        }
        return found
    }

    /// Removes a job from all lists, and notes its number as used.
    private func remove(_ job: JobNumber, _ statements: Statements) throws(SQLError) {
        for statement in [
            statements.removal.noteRemovedJob, statements.removal.noteRemovedOperations,
            statements.removal.insertRemovedJob,
        ] {
            statement.bind(.job, job.rawValue)
            try statement.run()
        }
        statements.removal.deleteJob.bind(.job, job.rawValue)
        let failed = try statements.removal.deleteJob.first { row throws(SQLError) in
            try row.optional(0, as: Int.self) ?? 0
        }
        if failed ?? 0 > 0 {
            statements.removal.minutesOfFailures.bind(.job, job.rawValue)
            try statements.removal.minutesOfFailures.forEach { row throws(SQLError) in
                removedFailures[try row.number(0), default: 0] += 1
                return true
            }
        }
        histories.remove(job)
    }

    /// Removes rows of a removed job, and forgets the job once no row is left.
    ///
    /// - Returns: how many rows were removed; on a server, about as many as `room` in each table.
    private func removeRows(of job: JobNumber, atMost room: Int, _ statements: Statements) throws(SQLError) -> Int {
        if let server = statements.server {
            let (count, isAll) = try server.deleteRows(of: job, atMost: room)
            if isAll { try Self.forget(job, statements) }
            return count
        }
        var removed = 0
        for statement in statements.removal.deleteRows where removed < room {
            statement.bind((.job, job.rawValue), (.limit, room - removed))
            try statement.run()
            removed += try statement.changedRows
        }
        if removed < room { try Self.forget(job, statements) }
        return removed
    }

    /// Forgets a removed job without rows.
    private static func forget(_ job: JobNumber, _ statements: Statements) throws(SQLError) {
        statements.removal.deleteRemovedJob.bind(.job, job.rawValue)
        try statements.removal.deleteRemovedJob.run()
    }

    /// Makes the file smaller if much of it is free.
    ///
    /// - Returns: whether the file can be made smaller still.
    private func giveBackPages() throws(StoreError) -> Bool {
        guard let database else { return false }
        do throws(SQLError) {
            let free = try database.number("PRAGMA freelist_count") ?? 0
            let excess = min(Int(free) - Self.sparePages, Self.pagesPerStep)
            guard excess > 0 else { return false }
            try database.execute("PRAGMA incremental_vacuum(\(excess))")
            let left = try database.number("PRAGMA freelist_count") ?? 0
            return left < free && left > Self.sparePages
        } catch {
            throw self.error(error)
        }
    }
}
