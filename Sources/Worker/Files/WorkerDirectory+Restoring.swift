@_spi(Baton) import BatonProcesses
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Recovery after the removal or replacement of a worker's directory, or of its content (D9).
extension WorkerDirectory {
    /// Checks that attempts find the promised directories, with a few system calls.
    ///
    /// - Returns: the number of the directory of results.
    /// - Throws: ``FileFailure``, whose ``FileFailure/isOfAbsence`` tells whether ``restore()`` may help.
    func check() throws(FileFailure) -> Int {
        guard OwnFile.isDirectory(noInputs) else { throw FileFailure("Cannot find the directory", noInputs) }
        guard OwnFile.isDirectory(outputs) else { throw FileFailure("Cannot find the directory", outputs) }
        guard let number = resultsPlace.number else {
            throw FileFailure("Cannot find the directory", results, code: ENOENT)
        }
        return number
    }

    /// Checks that the inputs of attempts have their directory; a single system call.
    func checkInputs() throws(FileFailure) {
        guard OwnFile.isDirectory(inputs) else { throw FileFailure("Cannot find the directory", inputs) }
    }

    /// Creates missing directories and files again, also where another program has put something else in their place.
    ///
    /// - Returns: whether anything was missing.
    /// - Throws: `FileFailure` if a file or directory cannot be created, if something else is in the place of the directory of outputs, or
    ///   if another worker has taken the directory meanwhile.
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
        } else if !OwnFile.isOrdinary(path + "/starts") {
            wasMissing = true
            try start.write(to: path + "/starts")
        }
        if !OwnFile.isOrdinary(path + "/identity"), !isIdentityForgotten {
            wasMissing = true
            try identity.write(to: path + "/identity")
        }
        for needed in [outputs, results, inputs, noInputs] where !OwnFile.isDirectory(needed) {
            wasMissing = true
            if errno == ENOTDIR {
                // Results and inputs are those of running attempts alone, and outputs are kept.
                guard needed != outputs else { throw FileFailure(noDirectoryAt: outputs) }
                unlink(needed)
            }
            guard mkdir(needed, 0o700) == 0 else { throw FileFailure("Cannot make the directory", needed) }
        }
        if try resultsPlace.adopt() { wasMissing = true }
        return wasMissing
    }

    /// Whether this worker holds the lock on the file that another worker would try to lock.
    private var hasItsLock: Bool { OwnFile.isInPlace(lock, at: path + "/lock") }

    /// Locks the file that another worker would try to lock, and keeps the descriptor number of the removed file.
    private func acquireLock() throws(FileFailure) {
        let file = path + "/lock"
        // No worker starts beside a link or a pipe of this name, so that none has locked it.
        if !OwnFile.isOrdinary(file), errno == ELOOP { unlink(file) }
        let descriptor = OwnFile.open(file, O_RDWR | O_CREAT, 0o600)
        guard descriptor >= 0 else { throw FileFailure(own: "Cannot make the file", file) }
        defer { closeDescriptor(descriptor) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw FileFailure("Another worker has taken the directory, or it cannot be locked", path)
        }
        guard dup2(descriptor, lock) >= 0, fcntl(lock, F_SETFD, FD_CLOEXEC) == 0 else {
            throw FileFailure("Cannot lock the file", file)
        }
    }
}
