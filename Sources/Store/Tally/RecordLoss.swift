@_spi(Baton) import BatonOperations

/// The part of a record that was acknowledged, and is not in the record any more.
@_spi(Baton) public struct RecordLoss: Hashable, Sendable {
    /// How many commits are missing; nil if nobody knows, because the tally is gone or damaged, too.
    public var commits: UInt64?
    /// The numbers of the missing jobs, from the first to the last one; nil for none that anybody knows of.
    public var jobs: ClosedRange<UInt64>?
    /// How many jobs of these numbers are not missing.
    var presentJobs: UInt64 = 0
    /// Whether the record has commits from after the missing ones.
    var hasLaterCommits = false

    /// How many jobs are missing, as far as anybody knows.
    public var jobCount: UInt64 { jobs.map { $0.upperBound - $0.lowerBound + 1 - presentJobs } ?? 0 }
}

extension RecordLoss {
    /// The loss of a whole record; nil if nothing was acknowledged from it.
    ///
    /// A log without its record and its tally shows that a coordinator was killed: a new record gets its log after its first pages.
    ///
    /// - Parameters:
    ///   - tally: the tally of the record, or what is in its place.
    ///   - hasLog: whether there is something in the place of the record's log.
    static func ofWhole(_ tally: TallyFile.Content, hasLog: Bool) -> RecordLoss? {
        switch tally {
        case .missing where !hasLog: nil
        case .missing: RecordLoss(commits: nil, jobs: nil)
        case .damaged: RecordLoss(commits: nil, jobs: nil)
        case .tally(let tally, _) where tally.commits == 0: nil
        case .tally(let tally, _): RecordLoss(commits: tally.commits, jobs: tally.job > 0 ? 1...tally.job : nil)
        }
    }

    /// Compares a record with its tally.
    ///
    /// Without a readable tally, a record that was closed in order is whole: the mark of its end is in the file itself, behind
    /// everything else.
    ///
    /// - Parameters:
    ///   - tally: the tally, or what is in its place.
    ///   - wasOpen: whether the record's last coordinator did not end in order.
    ///   - found: what the record has; nil for a record of a version without a tally.
    /// - Returns: nil if nothing is missing.
    static func found(by tally: TallyFile.Content, in found: RecordTally?, wasOpen: Bool) -> RecordLoss? {
        switch tally {
        case .missing, .damaged:
            return wasOpen && found != nil ? RecordLoss(commits: nil, jobs: nil) : nil
        case .tally(let tally, _):
            let (commits, job) = (found?.commits ?? 0, found?.job ?? 0)
            guard commits < tally.commits else { return nil }
            return RecordLoss(
                commits: tally.commits - commits,
                jobs: job < tally.job ? job + 1...tally.job : nil
            )
        }
    }

    /// Finds the missing jobs with lower numbers than the newest job of the record.
    ///
    /// Where SQLite lost commits and wrote others after them, as with another program's index of the log, the highest numbers alone say
    /// nothing. Each number above that of the newest removed job has a job. Below that number, a missing job looks like a removed job.
    ///
    /// - Parameters:
    ///   - tally: the tally of the record.
    ///   - database: the record.
    mutating func findJobs(by tally: TallyFile.Content, in database: Database) throws(SQLError) {
        guard commits != nil, case .tally(let tally, _) = tally, tally.job > 0 else { return }
        func number(_ sql: String) throws(SQLError) -> UInt64 { UInt64(clamping: try database.number(sql) ?? 0) }
        let removed = try number("SELECT value FROM meta WHERE key = 'newest_removed_job'")
        guard removed < tally.job else { return }
        let known = "FROM jobs j WHERE job > \(removed) AND job <= \(tally.job)"
        let present = try number("SELECT count(*) \(known)")
        guard present < tally.job - removed else { return }
        let hasFirst = try number("SELECT count(*) FROM jobs WHERE job = \(removed + 1)") > 0
        let first =
            hasFirst
            ? try number("SELECT min(job) + 1 \(known) AND NOT EXISTS (SELECT 1 FROM jobs WHERE job = j.job + 1)")
            : removed + 1
        let newest = try number("SELECT max(job) \(known)")
        let last =
            newest == tally.job
            ? try number(
                "SELECT max(job) - 1 \(known) AND job > \(first) AND NOT EXISTS (SELECT 1 FROM jobs WHERE job = j.job - 1)"
            )
            : tally.job
        guard first <= last else { return }
        presentJobs = try number("SELECT count(*) FROM jobs WHERE job BETWEEN \(first) AND \(last)")
        jobs = first...last
        hasLaterCommits = newest > first
    }
}
