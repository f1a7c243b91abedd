import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Going on where somebody has removed the directory, or what is in it, under a worker (D9).
extension WorkerDirectory {
    /// Looks whether attempts find what they are promised there; one system call.
    func check() throws(FileFailure) {
        // The directory of results has it: both are there, or neither is.
        guard access(noInputs, F_OK) == 0 else { throw FileFailure("Cannot find the directory", noInputs) }
    }

    /// Makes again what is missing.
    ///
    /// - Returns: whether anything was.
    /// - Throws: `FileFailure` where that cannot be done, or where another worker has taken the directory meanwhile.
    func restore() throws(FileFailure) -> Bool {
        let result = restoration.withLock { _ in Result { () throws(FileFailure) in try restoreAlone() } }
        return try result.get()
    }

    private func restoreAlone() throws(FileFailure) -> Bool {
        var wasMissing = false
        if access(path, F_OK) != 0 {
            wasMissing = true
            do {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            } catch {
                throw FileFailure("Cannot make the directory", path)
            }
        }
        if !hasItsLock {
            wasMissing = true
            try takeLock()
            try start.write(to: path + "/starts")
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

    /// Whether the file that another worker would try to lock is the one that is locked here.
    private var hasItsLock: Bool {
        var (here, there) = (stat(), stat())
        return fstat(lock, &here) == 0 && stat(path + "/lock", &there) == 0
            && here.st_ino == there.st_ino && here.st_dev == there.st_dev
    }

    /// Locks the file that another worker would try to lock, under the descriptor of the one that was removed.
    private func takeLock() throws(FileFailure) {
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
