@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A failed use of a file, described in a sentence.
struct FileFailure: Error, Hashable, CustomStringConvertible {
    let description: String
    /// The errno of the failure; 0 if the system was not asked.
    let code: Int32
    /// The lack of room within the worker's limit of files; nil for any other failure, also if the disk itself is full.
    private(set) var lack: RoomLack?
    /// Whether a content is not kept any more, or was damaged and is kept no longer: the copy is lost, which is no fault of the worker.
    private(set) var isOfLostContent = false

    init(_ description: String) {
        self.description = description
        code = 0
    }

    /// Describes a failure that stands for one of the system.
    init(_ description: String, code: Int32) {
        self.description = description
        self.code = code
    }

    /// Describes a lack of room within the limit of files, which stands for a quota of the system.
    init(_ description: String, _ lack: RoomLack) {
        self.description = description
        self.lack = lack
        code = EDQUOT
    }

    /// Describes a content that is not kept any more.
    init(lostContent description: String, code: Int32 = ENOENT) {
        self.description = description
        self.code = code
        isOfLostContent = true
    }

    /// Describes a failed action, with the current reason in errno.
    init(_ what: String, _ path: String, code: Int32 = errno) {
        description = "\(what) \"\(path)\": \(strerror(code).map { String(cString: $0) } ?? "error \(code)")."
        self.code = code
    }

    /// Describes a failure of ``BatonProcesses/OwnFile``, with the current reason in errno.
    init(own what: String, _ path: String, code: Int32 = errno) {
        description = "\(what) \"\(path)\": \(OwnFile.reason(code))."
        self.code = code
    }

    /// Describes what is in the place of a directory of the worker that it cannot make anew.
    init(noDirectoryAt path: String) {
        description = "The directory \"\(path)\" of the worker is a link, or no directory. Remove what is there."
        code = ENOTDIR
    }

    /// Whether a failure in the worker's own directories is the worker's fault: any error of the system, except a name
    /// too long.
    var isWorkerFault: Bool { code != 0 && code != ENAMETOOLONG }

    /// Whether a file or directory is missing, or something else is in its place, so that it may be made anew.
    var isOfAbsence: Bool { code == ENOENT || code == ENOTDIR }

    /// Describes an input that cannot be made, although its content is kept: the worker gives the attempt back, and another one can run it.
    static func lostInput(_ failure: FileFailure) -> FileFailure { FileFailure(failure.description, code: ENODATA) }

    /// Whether an input cannot be made, although its content is kept.
    var isOfLostInput: Bool { code == ENODATA }

    /// Whether a disk, or what the worker may use of it, has no room, or cannot be written.
    var isDiskFull: Bool { [ENOSPC, EDQUOT, EROFS].contains(code) }

    /// Whether the removal of files may end the failure.
    var isOfRoom: Bool { code == ENOSPC || code == EDQUOT }

    /// Whether a failure at a file of an operation is the worker's fault: its host has run out of a resource, or a
    /// disk is failing.
    var isHostFault: Bool { [EMFILE, ENFILE, ENOMEM, EIO, ESTALE].contains(code) }
}
