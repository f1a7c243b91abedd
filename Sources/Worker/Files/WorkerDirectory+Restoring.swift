import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Recovery after the removal of a worker's directory, or of its content (D9).
extension WorkerDirectory {
    /// Checks that attempts find the promised directories; a single system call.
    func check() throws(FileFailure) {
        // The directory of results contains it: either both exist, or neither.
        guard access(noInputs, F_OK) == 0 else { throw FileFailure("Cannot find the directory", noInputs) }
    }

    /// Creates missing directories and files again.
    ///
    /// - Returns: whether anything was missing.
    /// - Throws: `FileFailure` if a file or directory cannot be created, or if another worker has taken the directory
    ///   meanwhile.
    func restore() throws(FileFailure) -> Bool {
        let result = restoration.withLock { restoration in
            let isIdentityForgotten = restoration.isIdentityForgotten
            return Result { () throws(FileFailure) in try restoreAlone(isIdentityForgotten: isIdentityForgotten) }
        }
        return try result.get()
    }

    private func restoreAlone(isIdentityForgotten: Bool) throws(FileFailure) -> Bool {
        var wasMissing = false
        if access(path, F_OK) != 0 {
            wasMissing = true
            guard Self.make(path) else { throw FileFailure("Cannot make the directory", path) }
        }
        if !hasItsLock {
            wasMissing = true
            try acquireLock()
            try start.write(to: path + "/starts")
        }
        if access(path + "/identity", F_OK) != 0, !isIdentityForgotten {
            wasMissing = true
            try identity.write(to: path + "/identity")
        }
        for needed in [outputs, results, inputs, noInputs] {
            if mkdir(needed, 0o700) == 0 {
                wasMissing = true
            } else if errno != EEXIST {
                throw FileFailure("Cannot make the directory", needed)
            }
        }
        return wasMissing
    }

    /// Whether this worker holds the lock on the file that another worker would try to lock.
    private var hasItsLock: Bool {
        var (here, there) = (stat(), stat())
        return fstat(lock, &here) == 0 && stat(path + "/lock", &there) == 0
            && here.st_ino == there.st_ino && here.st_dev == there.st_dev
    }

    /// Locks the file that another worker would try to lock, and keeps the descriptor number of the removed file.
    private func acquireLock() throws(FileFailure) {
        let descriptor = openDescriptor(path + "/lock", O_RDWR | O_CREAT, 0o600)
        guard descriptor >= 0 else { throw FileFailure("Cannot make the file", path + "/lock") }
        defer { closeDescriptor(descriptor) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw FileFailure("Another worker has taken the directory, or it cannot be locked", path)
        }
        guard dup2(descriptor, lock) >= 0, fcntl(lock, F_SETFD, FD_CLOEXEC) == 0 else {
            throw FileFailure("Cannot lock the file", path + "/lock")
        }
    }
}
