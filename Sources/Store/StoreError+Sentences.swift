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

    /// Another program has cut a file in its place.
    static func cut(_ path: String, _ file: FileLengths.CutFile) -> StoreError {
        let subject =
            switch file {
            case .record: "The file of the record \(path)"
            case .log: "The write-ahead log \(path)-wal"
            case .index: "The index of the write-ahead log, \(path)-shm,"
            }
        let effect =
            switch file {
            case .record, .log:
                "a part of what was acknowledged is not in it any more. Nothing more is acknowledged, and nothing is copied out of "
                    + "the log. Stop the coordinator, put the file back or restore a backup, and start it again."
            case .index:
                "nothing more is acknowledged. All that was acknowledged is on disk: restart the coordinator."
            }
        return StoreError(
            .notInPlace,
            "\(subject) was cut by another program while the coordinator has it open; \(effect)"
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
        let missing = commits == 1 ? "its last commit is missing" : "its last \(commits) commits are missing"
        let jobs =
            switch loss.jobs {
            case nil: "no job"
            case let jobs? where jobs.count == 1: "job \(jobs.lowerBound)"
            case let jobs?: "\(loss.jobCount) jobs, \(jobs.lowerBound) to \(jobs.upperBound)"
            }
        let cause =
            isFileMissing
            ? "The file was removed or moved, or is empty."
            : "Its write-ahead log \(path)-wal was removed or damaged, or an older copy is in its place."
        return StoreError(
            .incomplete,
            "The record \(path) is incomplete: \(missing), and with \(commits == 1 ? "it" : "them") \(jobs). \(cause) \(remedy)"
        )
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
        return StoreError(
            .notWritable,
            "The copy \(file) cannot be written: \(why). Check the directory and its permissions.",
            mayPass: SystemObstacle.mayPass(systemError)
        )
    }

    /// SQLite cannot write a copy.
    static func notWritable(_ file: String, _ error: SQLiteError) -> StoreError {
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

    /// The record was closed before.
    static func closed(_ path: String) -> StoreError {
        StoreError(.closed, "The record \(path) is closed. Open it again.")
    }

    /// The error numbers of a disk that works, and does not let this user or process write so much.
    private static let lasting: Set<Int32> = [EACCES, EPERM, EFBIG]

    /// Describes an SQLite error about a record.
    init(_ error: SQLiteError, path: String) {
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
        case .cannotOpen, .permission, .readOnly, .inputOutput:
            let why = error.systemError == 0 ? "" : " (\(String(cString: strerror(error.systemError))))"
            // The system's error number may be that of a later call, or none for a disk that returns fewer bytes than it has.
            let isFailingDisk = error.code.primary == .inputOutput && !Self.lasting.contains(error.systemError)
            self.init(
                .notAccessible,
                "The record \(path) cannot be opened or written: \(error.message)\(why). "
                    + "Check the path, its permissions and its disk.",
                mayPass: isFailingDisk || SystemObstacle.mayPass(error.systemError)
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
