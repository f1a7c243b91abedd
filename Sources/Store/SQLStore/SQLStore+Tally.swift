@_spi(Baton) import BatonOperations

/// The tally: whether the record has all that was acknowledged (``RecordTally``).
@_spi(Baton) extension SQLStore {
    /// Reads the tally of what a record's tables have; nil for a record of a version that counted no commits.
    ///
    /// An empty file has nothing.
    static func tally(of database: Database) throws(SQLError) -> RecordTally? {
        guard try database.number("PRAGMA application_id") == Migration.applicationID else { return RecordTally() }
        guard try database.number("PRAGMA user_version") ?? 0 >= Schema.firstVersionWithTally else { return nil }
        do throws(SQLError) {
            func number(_ sql: String) throws(SQLError) -> UInt64 {
                UInt64(clamping: try database.number(sql) ?? 0)
            }
            func meta(_ column: String, _ key: String) throws(SQLError) -> UInt64 {
                guard let value = try database.number("SELECT \(column) FROM meta WHERE key = '\(key)'") else {
                    throw .damaged("its table meta has no \(key)")
                }
                return UInt64(clamping: value)
            }
            return RecordTally(
                commits: try meta("commits", "clock"),
                job: max(try number("SELECT max(job) FROM jobs"), try meta("value", "newest_removed_job")),
                event: try number("SELECT max(last) FROM events"),
                epoch: try meta("value", "epoch")
            )
        } catch  where error.code.primary == .statement {
            throw .damaged(error.message)
        }
    }

    /// Counts the present transaction as a commit; nobody may be told of its changes before it is on disk and in the tally.
    func count(_ statements: Statements) throws(SQLError) {
        try statements.record.countCommit.run()
        nextTally.commits += 1
    }

    /// Goes on without the part of the record that is missing: no number that was given for it is given again.
    ///
    /// - Parameter now: the time of the event that tells of the loss.
    func accept(_ missing: FileParts.Missing, _ parts: FileParts, at now: Timestamp) throws(StoreError) {
        let (loss, tally) = (missing.loss, parts.tally)
        let lost = if case .tally(let lost, _) = missing.found { lost } else { RecordTally() }
        try transaction { statements throws(SQLError) in
            for (key, number) in [("newest_removed_job", lost.job), ("epoch", lost.epoch)] {
                statements.record.raiseMeta.bind(.key, text: key)
                statements.record.raiseMeta.bind(.count, Int64(clamping: number))
                try statements.record.raiseMeta.run()
            }
            statements.record.raiseCommits.bind(.count, Int64(clamping: lost.commits))
            try statements.record.raiseCommits.run()
            let event = ClusterEvent(
                sequence: max(tally.event, lost.event) + 1,
                time: now,
                subject: .recordIncomplete(jobs: loss.jobCount, commits: loss.commits ?? 0)
            )
            self.nextTally.commits = max(tally.commits, lost.commits)
            self.nextTally.job = max(tally.job, lost.job)
            self.nextTally.epoch = max(tally.epoch, lost.epoch)
            try self.insertEvents(of: [.event(event)], statements)
            try self.count(statements)
        }
        // The number of commits has made a leap, which a log cannot tell from commits that the file lacks (``RecordMismatch``).
        parts.database?.saveLog()
        acceptedLoss = loss
    }
}

@_spi(Baton) extension SQLStore {
    /// Makes the tally of a record at rest that was put where it is by design, such as a restored backup.
    ///
    /// The next coordinator takes the record for whole, whatever the tally before said.
    ///
    /// - Parameter path: the record's file, which no coordinator has open.
    /// - Throws: ``StoreError`` if the record cannot be read, or the tally not be written.
    public static func makeTally(ofRecordAt path: String) throws(StoreError) {
        let found: RecordTally?
        let identity: UInt64?
        do throws(SQLError) {
            let database = try Database(path: path, isReadOnly: true)
            found = try tally(of: database)
            identity = RecordIdentity(of: database)?.number
        } catch {
            throw StoreError(error, path: path)
        }
        _ = try TallyFile(beside: path, on: nil, record: path, found ?? RecordTally(), identity: identity)
    }
}
