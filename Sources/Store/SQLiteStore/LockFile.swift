#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file beside the record that one process at a time holds locked, with that process's number in it.
///
/// It says who has the record, and keeps the record's place: where the record's file is removed under a living coordinator, a
/// second one would lock another file of that name (see ``RecordLock``). The lock is the system's (`flock`), so that it ends
/// with the process, however that ends; the file stays, because removing it would let two processes lock two files of the
/// same name. It is not handed on to child processes.
final class LockFile {
    private let descriptor: Int32

    /// Locks the place of a record.
    ///
    /// - Parameters:
    ///   - path: the record's file, without symbolic links.
    ///   - record: how the user has named it.
    /// - Throws: `inUse` where another process (or another store of this one) holds it, `notAccessible` where the file cannot
    ///   be opened, or its file system has no locks.
    init(beside path: String, record: String) throws(StoreError) {
        descriptor = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .notAccessible(record, systemError: errno) }
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let failure = errno
            if failure == EINTR { continue }
            let holder = Self.holder(descriptor)
            close(descriptor)
            guard failure == EWOULDBLOCK else { throw .notLockable(record, systemError: failure) }
            throw .inUse(record, processID: holder)
        }
    }

    /// Writes this process's number into it, once the record is known to be this one's.
    func noteHolder() {
        // Only for the other one's error message: it does not matter if the disk is full.
        let text = Array("\(getpid())\n".utf8)
        if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, text, text.count, 0) }
    }

    deinit {
        // Closing alone would leave it locked while a child that is just being launched still has a copy.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    private static func holder(_ descriptor: Int32) -> Int32? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return Int32(String(decoding: bytes.prefix(max(0, count)).prefix { $0 != 0x0A }, as: UTF8.self))
    }
}
