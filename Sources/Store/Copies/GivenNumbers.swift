/// The highest numbers of jobs, events and epochs that a record is known to have given, for a record that takes its place.
///
/// A damaged record may hold any value. A value above the limit of its kind counts as unknown: the record that continued behind the
/// value would have no numbers left.
struct GivenNumbers {
    /// The highest number of a job, 0 if there never was one; nil if nobody knows.
    private(set) var job: UInt32?
    /// The highest number of an event; 0 for none, and if nobody knows.
    private(set) var event: UInt64 = 0
    /// The last epoch; 0 for none, and if nobody knows.
    private(set) var epoch: UInt64 = 0
    /// How many commits there were; 0 if nobody knows.
    private(set) var commits: UInt64 = 0

    private static let mostJob = UInt64(UInt32.max) - (1 << 20)
    private static let mostEvent = UInt64(1) << 61
    private static let mostEpoch = UInt64(1 << 24) - (1 << 16)

    /// Adds what the tally of a record says.
    mutating func raise(to tally: RecordTally) {
        raise(job: tally.job)
        raise(event: tally.event)
        raise(epoch: tally.epoch)
        commits = max(commits, tally.commits)
    }

    /// Adds what can be read of a record that no coordinator has: the damage of one table hides no number of another.
    ///
    /// The record is only read: a copy of its log into the file would take away what somebody may still save from a damaged log.
    mutating func raise(toThoseOf path: String) {
        let opened = try? { () throws(SQLError) in
            let database = try Database(path: path, isReadOnly: true)
            try RecordCheck.checkKind(of: database)
            return database
        }()
        guard let database = opened else { return }
        func number(_ sql: String) -> UInt64? {
            let found = try? { () throws(SQLError) in UInt64(clamping: try database.number(sql) ?? 0) }()
            return found
        }
        for sql in ["SELECT max(job) FROM jobs", "SELECT value FROM meta WHERE key = 'newest_removed_job'"] {
            if let job = number(sql) { raise(job: job) }
        }
        if let event = number("SELECT max(last) FROM events") { raise(event: event) }
        if let epoch = number("SELECT value FROM meta WHERE key = 'epoch'") { raise(epoch: epoch) }
        // Records of earlier versions count none.
        commits = max(commits, number("SELECT commits FROM meta WHERE key = 'clock'") ?? 0)
    }

    private mutating func raise(job number: UInt64) {
        if number <= Self.mostJob { job = max(job ?? 0, UInt32(number)) }
    }

    private mutating func raise(event number: UInt64) {
        if number <= Self.mostEvent { event = max(event, number) }
    }

    private mutating func raise(epoch number: UInt64) {
        if number <= Self.mostEpoch { epoch = max(epoch, number) }
    }
}
