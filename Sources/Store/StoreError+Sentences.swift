@_spi(Baton) import BatonThreads

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension StoreError {
    /// Another coordinator holds the record.
    static func inUse(_ path: String, processID: Int32?) -> StoreError {
        let process = processID.map { " (process \($0))" } ?? ""
        return StoreError(
            .inUse,
            "The record \(path) is in use by another coordinator\(process)."
        )
    }

    /// Another coordinator has its own files in the state directory.
    ///
    /// - Parameter path: what the names of the files begin with.
    static func stateInUse(_ path: String, processID: Int32?) -> StoreError {
        let process = processID.map { " (process \($0))" } ?? ""
        let directory = path.lastIndex(of: "/").map { path[..<$0] } ?? "."
        return StoreError(.stateInUse, "The state directory \(directory) is in use by another coordinator\(process).")
    }

    /// The system does not let the record be opened or written.
    static func notAccessible(_ path: String, systemError: Int32) -> StoreError {
        guard systemError != ENOSPC, systemError != EDQUOT else { return full(path) }
        let why = String(cString: strerror(systemError))
        let mayPass = SystemObstacle.mayPass(systemError)
        return StoreError(
            .notAccessible,
            "The record \(path) cannot be opened or written: \(why). "
                + (mayPass ? "Try again once the cause is gone." : "Check the path and its permissions."),
            mayPass: mayPass
        )
    }

    /// The system does not let the tally of the record be read or written.
    static func tallyNotAccessible(_ path: String, systemError: Int32) -> StoreError {
        guard systemError != ENOSPC, systemError != EDQUOT else { return full(path) }
        let why = String(cString: strerror(systemError))
        let mayPass = SystemObstacle.mayPass(systemError)
        // A tally is made anew under another name.
        let place = systemError == EEXIST ? "the place of \(path)-tally.new" : "its place"
        return StoreError(
            .notAccessible,
            "The tally \(path)-tally, without which nobody would notice a loss, cannot be read or written: \(why). "
                + (mayPass
                    ? "Try again once the cause is gone."
                    : "Move away what is in \(place), or check its permissions and attributes."),
            mayPass: mayPass
        )
    }

    /// Somebody else could have made or changed the record.
    static func notOwn(_ path: String, _ why: String) -> StoreError {
        StoreError(.notAccessible, "The record \(path) is not safe to use: \(why)")
    }

    /// Something else than an ordinary file is in the place of a record, of a backup, or of a file beside it.
    ///
    /// - Parameter ending: what the name of the file has behind the record's.
    static func notOrdinary(_ path: String, ending: String) -> StoreError {
        StoreError(
            .unreadable,
            "\(path)\(ending) is a named pipe, a directory or a device, where a file is needed. "
                + (ending.isEmpty ? "Name a record or a backup of one." : "Remove it.")
        )
    }

    /// The record cannot be locked against a second coordinator.
    static func notLockable(_ path: String, systemError: Int32) -> StoreError {
        let why = String(cString: strerror(systemError))
        return StoreError(
            .notLockable,
            "The record \(path) cannot be locked: \(why). It may be on a network file system without locks, where a second "
                + "coordinator could open the same record. Put the record on a local disk.",
            mayPass: SystemObstacle.mayPass(systemError)
        )
    }

    /// The file was removed, moved or replaced since it was opened.
    static func notInPlace(_ path: String) -> StoreError {
        StoreError(
            .notInPlace,
            "The file of the record \(path) was removed, moved or replaced while the coordinator has it open; further "
                + "changes would be lost. Put the file back, or stop the coordinator."
        )
    }

    /// The write-ahead log was removed, moved or replaced since it was opened.
    ///
    /// - Parameter isSaved: whether all of it is in the file of the record.
    static func logNotInPlace(_ path: String, isSaved: Bool) -> StoreError {
        StoreError(
            .notInPlace,
            "The write-ahead log \(path)-wal was removed, moved or replaced while the coordinator has it open; further changes "
                + "would be lost. "
                + (isSaved
                    ? "All that was acknowledged is saved in \(path). Restart the coordinator, or put the file back."
                    : "What was acknowledged since the last copy could not be saved in \(path). Put the file back before the "
                        + "coordinator ends.")
        )
    }

    /// The index of the write-ahead log was removed, moved or replaced since it was opened.
    static func indexNotInPlace(_ path: String) -> StoreError {
        StoreError(
            .notInPlace,
            "The index of the write-ahead log, \(path)-shm, was removed, moved or replaced while the coordinator has it open; a "
                + "backup could read what is being overwritten. All that was acknowledged is on disk: restart the coordinator."
        )
    }

    /// Another program has cut a file in its place, or written into it.
    static func cut(_ path: String, _ file: FileLengths.HarmedFile) -> StoreError {
        let subject =
            switch file {
            case .record: "The file of the record \(path)"
            case .log: "The write-ahead log \(path)-wal"
            case .index, .replacedIndex: "The index of the write-ahead log, \(path)-shm,"
            }
        let harm =
            file == .replacedIndex
            ? "was overwritten by another program with another index" : "was cut by another program"
        let effect =
            switch file {
            case .record, .log:
                "a part of what was acknowledged is not in it any more. Nothing more is acknowledged, and nothing is copied out of "
                    + "the log. Stop the coordinator, put the file back or restore a backup, and start it again."
            case .index:
                "nothing more is acknowledged. All that was acknowledged is on disk: restart the coordinator."
            case .replacedIndex:
                "nothing more is acknowledged, and the log is left as it is. Restart the coordinator: it makes the index anew out of the "
                    + "log, and says so if anything is missing."
            }
        return StoreError(
            .notInPlace,
            "\(subject) \(harm) while the coordinator has it open; \(effect)"
        )
    }

    /// A part of the record is missing.
    ///
    /// - Parameter isFileMissing: whether there is no file at all, or an empty one.
    static func incomplete(_ path: String, _ loss: RecordLoss, isFileMissing: Bool = false) -> StoreError {
        let remedy =
            "Put the missing files back, restore a backup, or go on without what is missing: start with --accept-loss once."
        guard let commits = loss.commits else {
            guard !isFileMissing else {
                return StoreError(
                    .incomplete,
                    "The record \(path) was removed or moved, or is empty, and the file \(path)-tally, which says what "
                        + "was acknowledged, is missing or damaged. \(remedy)"
                )
            }
            return StoreError(
                .incomplete,
                "The record \(path) may be incomplete: its coordinator did not end in order, and the file \(path)-tally, which "
                    + "says what was acknowledged, is missing or damaged. \(remedy)"
            )
        }
        let missing =
            if loss.hasLaterCommits {
                commits == 1 ? "one of its commits is missing" : "\(commits) of its commits are missing"
            } else {
                commits == 1 ? "its last commit is missing" : "its last \(commits) commits are missing"
            }
        let jobs =
            switch loss.jobs {
            case nil: "no job"
            case let jobs? where jobs.count == 1: "job \(jobs.lowerBound)"
            case let jobs? where loss.presentJobs > 0:
                "\(loss.jobCount) jobs between \(jobs.lowerBound) and \(jobs.upperBound)"
            case let jobs?: "\(loss.jobCount) jobs, \(jobs.lowerBound) to \(jobs.upperBound)"
            }
        let cause =
            isFileMissing
            ? "The file was removed or moved, or is empty."
            : loss.hasLaterCommits
                ? "Another program has written into its write-ahead log \(path)-wal, or into the log's index \(path)-shm."
                : "Its write-ahead log \(path)-wal was removed or damaged, or an older copy is in its place."
        return StoreError(
            .incomplete,
            "The record \(path) is incomplete: \(missing), and with \(commits == 1 ? "it" : "them") \(jobs). \(cause) \(remedy)"
        )
    }

    /// A journal beside the record is of another database.
    static func foreignJournal(_ path: String) -> StoreError {
        StoreError(
            .unreadable,
            "The file \(path)-journal is none of the record \(path), and would be written over it. Move it away: a record needs no such "
                + "file. No file was changed."
        )
    }

    /// The files of a record are not of one record.
    ///
    /// - Parameter hasCoordinator: whether a coordinator is to start, so that there is a way to go on without what is missing.
    static func mixed(_ path: String, _ mismatch: RecordMismatch, hasCoordinator: Bool = true) -> StoreError {
        let withoutLog = hasCoordinator ? "; if that is gone, go on without it: start with --accept-loss once" : ""
        let withoutLogOfOlder =
            hasCoordinator ? ", or go on with the copy alone: move the log away, and start with --accept-loss once" : ""
        let fault =
            switch mismatch {
            case .log:
                "The write-ahead log \(path)-wal is of another record than the record \(path) and its tally \(path)-tally. Move the "
                    + "log away, and put the record's own log back\(withoutLog)."
            case .file:
                "The file \(path) is of another record than its write-ahead log \(path)-wal and its tally \(path)-tally. Put the "
                    + "record's own file back, or restore a backup."
            case .fileOrLog:
                "The file \(path) and its write-ahead log \(path)-wal are of different records. Put the files of one record there, or "
                    + "restore a backup."
            case .olderFile:
                "The file \(path) is older than its write-ahead log \(path)-wal: an older copy is in its place. Put the record's own "
                    + "file back, or restore a backup\(withoutLogOfOlder)."
            case .tally:
                "The tally \(path)-tally is of another record than the record \(path). Put the files of one record there, or run an "
                    + "interrupted \"baton restore\" again."
                    + (hasCoordinator
                        ? " To go on with this record, and without what the other one had, start with --accept-loss once."
                        : "")
            }
        return StoreError(.incomplete, fault + " No file was changed.")
    }

    /// The last commits may be in a log beside another name of the file.
    ///
    /// - Parameters:
    ///   - names: how many names the file has.
    ///   - name: the name with a log beside it; nil if it is not in the same directory.
    static func logElsewhere(_ path: String, names: Int, name: String?) -> StoreError {
        let place = name.map { "\($0)-wal" } ?? "a -wal file beside the name that it used"
        let remedy =
            name.map {
                "Start it with that name: --store \($0). If a \"baton restore\" was interrupted, run it again instead."
            } ?? "Use that name."
        return StoreError(
            .elsewhere,
            "The file \(path) has \(names) names (hard links), its coordinator did not end in order, and its last "
                + "changes are in \(place). \(remedy)"
        )
    }

    /// The disk is full.
    static func full(_ path: String) -> StoreError {
        StoreError(
            .full,
            "The disk is full: nothing more can be kept in the record \(path). Free some space on its file system.",
            mayPass: true
        )
    }

    /// The record to copy does not exist.
    static func missing(_ path: String) -> StoreError {
        StoreError(.missing, "There is no file \(path).")
    }

    /// A file has the name that a copy is to get.
    static func exists(_ file: String) -> StoreError {
        StoreError(.exists, "There is a file \(file) already, and a copy replaces no file. Name another one.")
    }

    /// A copy has the name of a file beside the record.
    static func reserved(_ file: String) -> StoreError {
        StoreError(
            .exists,
            "The name \(file) is kept for a file of the record itself: a coordinator would take the copy for that "
                + "one, or replace it. Name another file."
        )
    }

    /// The system does not let a copy be written.
    static func notWritable(_ file: String, systemError: Int32) -> StoreError {
        guard systemError != ENOSPC, systemError != EDQUOT else {
            return StoreError(
                .full,
                "The disk is full: the copy \(file) could not be finished, and nothing of it is left. Free some space there, or name "
                    + "a file on another disk.",
                mayPass: true
            )
        }
        let why = String(cString: strerror(systemError))
        let mayPass = SystemObstacle.mayPass(systemError)
        return StoreError(
            .notWritable,
            "The copy \(file) cannot be written: \(why). "
                + (mayPass ? "Try again once the cause is gone." : "Check the directory and its permissions."),
            mayPass: mayPass
        )
    }

    /// SQLite cannot write a copy.
    static func notWritable(_ file: String, _ error: SQLError) -> StoreError {
        let isFull = error.code.primary == .full || error.systemError == ENOSPC
        if isFull || error.systemError == EDQUOT { return notWritable(file, systemError: ENOSPC) }
        let why = error.systemError == 0 ? "" : " (\(String(cString: strerror(error.systemError))))"
        return StoreError(
            .notWritable,
            "The copy \(file) cannot be written: \(error.message)\(why). Check the directory and its disk.",
            mayPass: SystemObstacle.mayPass(error.systemError)
        )
    }

    /// Somebody has ended a copy.
    static func ended(_ file: String) -> StoreError {
        StoreError(.ended, "The copy \(file) was ended before it was whole, and nothing of it is left.")
    }

    /// The record was moved to another place, and goes on there.
    static func moved(_ path: String, to place: String) -> StoreError {
        StoreError(
            .elsewhere,
            "The record \(path) was moved to \(place). Use that one. To go on with this one all the same, remove its mark: copy it once "
                + "more with \"baton store copy --keep\"."
        )
    }

    /// A record is to be copied to its own place.
    static func samePlace(_ place: String) -> StoreError {
        StoreError(.exists, "The record \(place) cannot be copied to its own place. Name another one.")
    }

    /// The database to which a record is to be copied has one.
    static func occupied(_ place: String) -> StoreError {
        StoreError(
            .exists,
            "There is a record at \(place) already, and a copy replaces none. Name another database, or another schema in it with "
                + "?schema=NAME."
        )
    }

    /// There is no record in the database from which one is to be copied.
    static func noRecord(_ place: String) -> StoreError {
        StoreError(.missing, "There is no record at \(place): no coordinator has ever used it.")
    }

    /// A copy has other rows than its original.
    static func unlikeCopy(_ place: String, table: String, _ rows: Int64, _ copied: Int64) -> StoreError {
        StoreError(
            .other,
            "The copy \(place) has \(copied) rows in the table \(table), and the record \(rows). Nothing of the copy is kept. Try again."
        )
    }

    /// The record was closed before.
    static func closed(_ path: String) -> StoreError {
        StoreError(.closed, "The record \(path) is closed. Open it again.")
    }

    /// The error numbers of a disk that works, and does not let this user or process write so much.
    private static let lasting: Set<Int32> = [EACCES, EPERM, EFBIG]

    /// Whether the file system has no room for the name of another file.
    ///
    /// SQLite tries to open a file only for reading where it could not make it, so that its error number is that of a missing file.
    private static func lacksNodes(besideRecord path: String) -> Bool {
        let file = "\(path)-room-\(getpid())"
        let descriptor = open(file, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor < 0 else {
            close(descriptor)
            unlink(file)
            return false
        }
        return errno == ENOSPC || errno == EDQUOT
    }

    /// Describes an SQLite error about a record.
    init(_ error: SQLError, path: String) {
        switch error.code.primary {
        case .full:
            self = .full(path)
        case .inputOutput where error.systemError == ENOSPC || error.systemError == EDQUOT:
            self = .full(path)
        case .busy, .locked:
            self.init(
                .locked,
                "The record \(path) is locked by another program: \(error.message). End that program's transaction."
            )
        case .cannotOpen where Self.lacksNodes(besideRecord: path):
            self = .full(path)
        case .cannotOpen, .permission, .readOnly, .inputOutput:
            let why = error.systemError == 0 ? "" : " (\(String(cString: strerror(error.systemError))))"
            // The system's error number may be that of a later call, or none for a disk that returns fewer bytes than it has.
            let isFailingDisk = error.code.primary == .inputOutput && !Self.lasting.contains(error.systemError)
            let mayPass = isFailingDisk || SystemObstacle.mayPass(error.systemError)
            self.init(
                .notAccessible,
                "The record \(path) cannot be opened or written: \(error.message)\(why). "
                    + (mayPass
                        ? "Check its disk, and try again once the cause is gone."
                        : "Check the path, its permissions and its disk."),
                mayPass: mayPass
            )
        case .noMemory:
            self.init(
                .notAccessible,
                "The record \(path) cannot be opened or written: the system has no memory left. Try again once it has.",
                mayPass: true
            )
        case .corrupt, .notADatabase:
            self.init(
                .unreadable,
                "The file \(path) cannot be read as a record of Baton: \(error.message). "
                    + "Restore it from a copy, without the files -wal and -shm beside it, or use the version that wrote it."
            )
        default:
            self.init(.other, "The record \(path) failed: \(error.message) (SQLite code \(error.code.rawValue)).")
        }
    }
}
