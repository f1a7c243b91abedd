#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The lock of a key directory (`flock`), held by one holder of any process at a time.
///
/// The system releases the lock at any kind of end of the process.
struct KeyLock: ~Copyable {
    private let descriptor: Int32

    /// How long a holder may keep others waiting; it writes a few small files.
    static let patience = Duration.seconds(10)

    /// Waits for the lock.
    ///
    /// - Throws: `KeyError` with ``KeyError/Code/inUse`` if another holder keeps it for too long.
    init(of folder: borrowing KeyFolder, patience: Duration = patience) throws(KeyError) {
        let descriptor = try folder.openLock("lock")
        let deadline = ContinuousClock.now + patience
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            if code == EINTR { continue }
            guard code == EWOULDBLOCK, ContinuousClock.now < deadline else {
                close(descriptor)
                if code == EWOULDBLOCK {
                    throw KeyError(
                        .inUse,
                        "Another process keeps the key directory \(folder.path) locked.",
                        path: folder.path
                    )
                }
                throw .notAccessible(folder.path(of: "lock"), "lock", code: code)
            }
            usleep(5_000)
        }
        self.descriptor = descriptor
    }

    deinit {
        // Closing alone would leave the file locked while a child being launched still has a copy of the descriptor.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
