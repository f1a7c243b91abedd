/// The lock of a coordinator's own files on its host, for a coordinator with a record on a server.
///
/// A record in a file has a lock beside it. Of several coordinators with one record on a server, each has a state directory of its own: in
/// a common one, each would answer for the health of the other one, and write the other one's table of keys.
@_spi(Baton) public final class StateLock {
    private let lock: LockFile

    /// Locks the files whose names begin with a path, until the end of the lock or of the process.
    ///
    /// - Throws: ``StoreError`` `stateInUse` if another coordinator holds the lock, or `notAccessible` or `notLockable` if the file of the
    ///   lock cannot be opened or locked.
    public init(ofFiles path: String) throws(StoreError) {
        lock = try LockFile(beside: path, record: path) { processID in
            StoreError.stateInUse(path, processID: processID)
        }
        lock.noteHolder()
    }
}
