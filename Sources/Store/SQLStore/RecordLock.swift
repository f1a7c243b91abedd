#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The lock on the record's own file, which one process at a time holds, under any name of the file.
///
/// The lock belongs to the open file, not to the process: a lock of the process would end when SQLite closes another descriptor
/// of the file. SQLite's own locks are locks of the process, so the descriptor of this lock stays open for as long as SQLite
/// has the file open.
final class RecordLock {
    /// The file, without symbolic links.
    let path: String
    /// How many names the file had when it was locked.
    let names: Int
    private let descriptor: Int32
    private let place: FilePlace?

    /// The locked byte: far behind the bytes that SQLite locks, around 1 GiB, and behind any possible content of a file.
    private static let position: off_t = 1 << 62

    #if canImport(Darwin)
        private static let setLock: Int32 = 90
    #else
        // F_OFD_SETLK, which the header defines only with the GNU extensions.
        private static let setLock: Int32 = 37
    #endif

    /// Locks a file.
    ///
    /// - Parameters:
    ///   - path: the file, without symbolic links.
    ///   - record: the record's name as given by the user.
    /// - Throws: `inUse` if another process (or another store of this process) holds the lock, `notAccessible` if the file
    ///   cannot be opened, or its file system has no locks.
    init(_ path: String, record: String) throws(StoreError) {
        self.path = path
        descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw .notAccessible(record, systemError: errno) }
        var lock = Self.byte(F_WRLCK)
        while fcntl(descriptor, Self.setLock, &lock) != 0 {
            let failure = errno
            if failure == EINTR { continue }
            // The descriptor stays open. If another store of this process has the file open, a close would release the locks
            // of SQLite on the file.
            guard failure == EAGAIN || failure == EACCES else { throw .notLockable(record, systemError: failure) }
            throw .inUse(record, processID: nil)
        }
        var status = stat()
        names = fstat(descriptor, &status) == 0 ? Int(status.st_nlink) : 1
        place = FilePlace(path, of: descriptor)
        guard isInPlace else { throw .notInPlace(record) }
    }

    deinit {
        // Closing alone would leave the file locked while a child being launched still has a copy of the descriptor.
        var lock = Self.byte(F_UNLCK)
        _ = fcntl(descriptor, Self.setLock, &lock)
        close(descriptor)
    }

    /// Whether the path still leads to the file, which was not moved, removed or replaced.
    var isInPlace: Bool { length != nil }

    /// The length of the file in bytes; nil if the path does not lead to the file any more.
    var length: Int64? { place?.length }

    private static func byte(_ type: Int32) -> flock {
        var lock = flock()
        lock.l_type = Int16(type)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = position
        lock.l_len = 1
        return lock
    }
}
