#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file beside the record that one process at a time holds locked, and that contains the process id.
///
/// The file names the holder of the record, and protects the record's place: if the record's file were removed under a living
/// coordinator, a second coordinator would lock another file of the same name (see ``RecordLock``). The system holds the lock
/// (`flock`), and releases it at any kind of end of the process. The file stays, because its removal would let two processes
/// lock two files of the same name. Child processes do not inherit the file.
final class LockFile {
    private let descriptor: Int32

    /// Locks the place of a record.
    ///
    /// - Parameters:
    ///   - path: the record's file, without symbolic links.
    ///   - record: the record's name as given by the user.
    ///   - inUse: the error if another process (or another store of this process) holds the lock, whose id may be known; nil for
    ///     `inUse`.
    /// - Throws: that error, or `notAccessible` if the file cannot be opened, if it is a link or no ordinary file, or if its file system
    ///   has no locks.
    init(
        beside path: String,
        record: String,
        inUse: ((_ processID: Int32?) -> StoreError)? = nil
    ) throws(StoreError) {
        // A local name until the lock is held: an initialiser that throws runs deinit once all properties have their values, and
        // the second close would hit another file that has the number by then.
        let file = path + ".lock"
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        let descriptor = open(file, flags, 0o600)
        guard descriptor >= 0 else {
            guard errno != ELOOP else { throw .notOwn(record, "\(file) is a link, or no file. Remove it.") }
            throw .notAccessible(record, systemError: errno)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw .notOwn(record, "\(file) is a link, or no file. Remove it.")
        }
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let failure = errno
            if failure == EINTR { continue }
            let holder = Self.holder(descriptor)
            close(descriptor)
            guard failure == EWOULDBLOCK else { throw .notLockable(record, systemError: failure) }
            throw inUse?(holder) ?? .inUse(record, processID: holder)
        }
        self.descriptor = descriptor
    }

    /// Writes this process's id into the file, once this process is known to hold the record.
    func noteHolder() {
        // Only for the error message of another coordinator: a full disk does not matter.
        let text = Array("\(getpid())\n".utf8)
        if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, text, text.count, 0) }
    }

    deinit {
        // Closing alone would leave the file locked while a child being launched still has a copy of the descriptor.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    private static func holder(_ descriptor: Int32) -> Int32? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return Int32(String(decoding: bytes.prefix(max(0, count)).prefix { $0 != 0x0A }, as: UTF8.self))
    }
}
