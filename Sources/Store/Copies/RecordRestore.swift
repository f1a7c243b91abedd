@_spi(Baton) public import BatonOperations

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The return of a backup to the place of a record, while no coordinator has the record.
@_spi(Baton) public struct RecordRestore: Sendable {
    /// What a restore has done.
    public struct Report: Hashable, Sendable {
        /// What the backup holds.
        public var contents: RecordContents
        /// Where the record is now that was in the place; nil if there was none.
        public var setAside: String?
        /// The highest number of a job of the earlier record, also by its tally; nil if there was none, or neither can be read.
        public var newestJobBefore: JobNumber?
        /// The number of the next job.
        public var nextJob: JobNumber
    }

    private let file: String
    private let record: String
    private let nextJob: JobNumber?
    private let copy: RecordCopy

    /// Plans a restore; nothing is written.
    ///
    /// - Parameters:
    ///   - file: the backup, which stays as it is.
    ///   - record: the file of the record.
    ///   - nextJob: the lowest number of the next job; nil for the one after all known jobs.
    public init(of file: String, to record: String, nextJob: JobNumber? = nil) {
        self.file = file
        self.nextJob = nextJob
        // The record's own name stays: a link to another disk is followed, as by the coordinator.
        self.record = RecordFile.resolved(record) ?? record
        copy = RecordCopy(for: self.record, knownAs: file)
    }

    /// Checks the backup, sets the present record aside, and puts a copy of the backup in its place.
    ///
    /// The numbers of the earlier record's jobs, events and epochs are not given again, as far as the earlier record can be read. An
    /// event tells how many jobs the copy lacks, so that a watcher that goes on behind the last event it has seen misses no later one.
    ///
    /// - Parameters:
    ///   - now: the time of that event.
    ///   - onStep: called after each step with the numbers of pages that are copied and that there are; false ends the restore.
    /// - Throws: ``StoreError`` `inUse` if a coordinator has the record, `missing` without a backup, `unreadable` for a file that is
    ///   no whole record of Baton, `full` and `notWritable` for a directory that cannot be written, and `ended`. The record is as
    ///   before then.
    /// - Complexity: O(bytes of the backup), in constant memory.
    public func perform(
        at now: Timestamp,
        onStep: (_ copied: Int, _ count: Int) -> Bool = { _, _ in true }
    ) throws(StoreError) -> Report {
        guard access(file, F_OK) == 0 else {
            throw errno == ENOENT ? .missing(file) : .notAccessible(file, systemError: errno)
        }
        try RecordFile.checkKind(of: RecordFile.resolved(file) ?? file, record: file)
        try RecordFile.makeDirectory(for: record)
        try RecordOwner.check(record, record: record)
        let place = try LockFile(beside: record, record: record)
        let isReplaced = access(record, F_OK) == 0
        let lock = isReplaced ? try RecordLock(record, record: record) : nil
        defer { withExtendedLifetime((place, lock)) {} }
        let contents = try copy.make(of: file, onStep: onStep)
        var report = Report(contents: contents, nextJob: JobNumber(1))
        let otherName = unusedName()
        do throws(StoreError) {
            // A record that is gone may have left its tally.
            var before = GivenNumbers()
            if case .tally(let tally, _) = try TallyFile.read(beside: record, on: nil, record: record) {
                before.raise(to: tally)
            }
            if isReplaced { before.raise(toThoseOf: record) }
            report.newestJobBefore = before.job.map { JobNumber($0) }
            report.nextJob = try raiseNumbers(of: contents, above: before, at: now)
            try replace(isReplaced, settingAsideAs: otherName)
        } catch {
            copy.remove()
            throw error
        }
        if isReplaced { report.setAside = otherName }
        // Until here the earlier tally refuses what is in the place, should this process end.
        try replaceTally(settingAsideAs: otherName)
        RecordCopy.syncDirectory(of: record)
        return report
    }

    /// Removes what an ended process leaves of the restore.
    public func removeRest() { copy.remove() }

    /// Gives the tally of the earlier record the record's other name, and makes that of the copy.
    private func replaceTally(settingAsideAs name: String) throws(StoreError) {
        let tally = TallyFile.path(of: record)
        guard rename(tally, TallyFile.path(of: name)) == 0 || errno == ENOENT else {
            throw .notWritable(tally, systemError: errno)
        }
        try SQLStore.makeTally(ofRecordAt: record)
    }

    /// Makes the copy give numbers above all known ones.
    ///
    /// - Returns: the number of the next job.
    private func raiseNumbers(
        of contents: RecordContents,
        above before: GivenNumbers,
        at now: Timestamp
    ) throws(StoreError) -> JobNumber {
        let newest = contents.newestJob?.rawValue ?? 0
        let last = max(newest, before.job ?? 0, nextJob.map { $0.rawValue == 0 ? 0 : $0.rawValue - 1 } ?? 0)
        do throws(SQLError) {
            let database = try Database(path: copy.partial)
            for (key, value) in [("newest_removed_job", UInt64(last)), ("epoch", before.epoch)] {
                try database.execute("UPDATE meta SET value = max(value, \(value)) WHERE key = '\(key)'")
            }
            // What the earlier record has left beside it, such as its log, does not fit any more.
            try database.execute("UPDATE meta SET value = \(RecordIdentity.drawn) WHERE key = 'identity'")
            if contents.tally != nil {
                let commits = Int64(clamping: before.commits)
                try database.execute("UPDATE meta SET commits = max(commits, \(commits)) WHERE key = 'clock'")
            }
            let newestEvent = UInt64(clamping: try database.number("SELECT max(last) FROM events") ?? 0)
            if before.event > newestEvent {
                let commits = contents.tally?.commits ?? before.commits
                let loss = ClusterEvent.Subject.recordIncomplete(
                    jobs: UInt64(max(newest, before.job ?? 0) - newest),
                    commits: max(commits, before.commits) - commits
                )
                let event = ClusterEvent(sequence: before.event + 1, time: now, subject: loss)
                try SQLStore.insert(event, into: database)
            }
        } catch {
            throw .notWritable(record, error)
        }
        return JobNumber(last &+ 1)
    }

    /// A name beside the record that neither a file nor a file beside it has.
    private func unusedName() -> String {
        let endings = ["", TallyFile.path(of: "")] + RecordFile.endingsOfSQLite
        func isUsed(_ name: String) -> Bool {
            var status = stat()
            return endings.contains { lstat(name + $0, &status) == 0 }
        }
        var name = record + ".before-restore"
        var number = 1
        while isUsed(name) {
            number += 1
            name = record + ".before-restore-\(number)"
        }
        return name
    }

    /// Gives the present record, if there is one, and the files beside it another name, and puts the copy in the place.
    ///
    /// - Throws: `notWritable`; all files have their names again then.
    private func replace(_ isReplaced: Bool, settingAsideAs name: String) throws(StoreError) {
        let changes = try setAside(isReplaced, as: name)
        RecordCopy.syncDirectory(of: record)
        guard rename(copy.partial, record) == 0 else {
            let failure = errno
            undo(changes, name)
            throw .notWritable(record, systemError: failure)
        }
    }

    /// What has got the other name.
    struct SetAside {
        /// The endings of the files that were moved; an empty one for the record itself.
        var moved: [String] = []
        /// Whether the record has both names.
        var isLinked = false
        /// Whether there is a copy of the tally.
        var hasTally = false
    }

    /// Renames the files of the present record, if a record is present.
    ///
    /// The record keeps its first name until the copy takes it, so that no coordinator finds an empty place and begins anew. If this
    /// process ends meanwhile, a coordinator finds all of the record under the other name: the tally is copied first.
    ///
    /// - Throws: `notWritable`; all files have their names again then.
    func setAside(_ isReplaced: Bool, as name: String) throws(StoreError) -> SetAside {
        var changes = SetAside()
        do throws(StoreError) {
            if isReplaced {
                if case .tally(let tally, let identity) = try TallyFile.read(beside: record, on: nil, record: record) {
                    changes.hasTally = true
                    _ = try TallyFile(beside: name, on: nil, record: record, tally, identity: identity)
                }
                changes.isLinked = link(record, name) == 0
                // File systems without links.
                guard changes.isLinked || rename(record, name) == 0 else {
                    throw .notWritable(name, systemError: errno)
                }
                if !changes.isLinked { changes.moved.append("") }
            }
            // SQLite would read these files into the copy.
            for ending in RecordFile.endingsOfSQLite {
                if rename(record + ending, name + ending) == 0 {
                    changes.moved.append(ending)
                } else if errno != ENOENT {
                    throw .notWritable(name + ending, systemError: errno)
                }
            }
        } catch {
            undo(changes, name)
            throw error
        }
        return changes
    }

    private func undo(_ changes: SetAside, _ name: String) {
        for ending in changes.moved.reversed() { rename(name + ending, record + ending) }
        if changes.isLinked { unlink(name) }
        if changes.hasTally { unlink(TallyFile.path(of: name)) }
    }
}
