import Foundation
import BatonOperations
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The directory of a worker: where things lie in it, and the lock that keeps a second worker out.
///
/// Outputs survive the worker, so that they can still be read after it was started again. Results and inputs belong to
/// attempts that nobody continues: what an earlier life left of them is removed.
final class WorkerDirectory: Sendable {
    /// What is not made again where somebody has removed it.
    struct Restoration {
        /// Another running worker has the identity.
        var isIdentityForgotten = false
    }

    /// The absolute path.
    let path: String
    /// The life of the worker that has taken it.
    let life: WorkerLife
    /// Who the worker is, and what it is called where it was given no name.
    let identity: WorkerIdentity
    /// Holds the lock until it is given up, by the kernel at the latest.
    let lock: Int32
    /// The start that it was taken with.
    let start: StartCount
    /// Held by whoever makes again what was removed.
    let restoration = Mutex(Restoration())

    /// Takes a directory, which is made where there is none; a life of the worker begins with that.
    ///
    /// - Parameters:
    ///   - path: where it is.
    ///   - madeUpName: the name that was made up for the worker, where it is to be kept with a new directory.
    /// - Throws: `WorkerError` where it cannot be made, written or locked.
    init(_ path: String, madeUpName: String? = nil) throws(WorkerError) {
        let absolute = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        func failure(_ why: String) -> WorkerError {
            WorkerError(
                .directory,
                "The directory \"\(absolute)\" of the worker cannot be used: \(why). Make it writable, or name another."
            )
        }
        func reason() -> String { strerror(errno).map { String(cString: $0) } ?? "error \(errno)" }
        guard Self.make(absolute) else { throw failure(reason()) }
        let lock = open(absolute + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw failure(reason()) }
        // What an earlier Baton made could be read by all, and anybody who can read the lock can take it.
        chmod(absolute, 0o700)
        fchmod(lock, 0o600)
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            let isTaken = errno == EWOULDBLOCK
            let why = reason()
            close(lock)
            guard isTaken else { throw failure(why) }
            throw WorkerError(
                .directoryInUse,
                "Another worker uses the directory \"\(absolute)\". Stop it, or give this one another name."
            )
        }
        do {
            start = try StartCount.raise(at: absolute + "/starts")
            life = start.life
        } catch {
            close(lock)
            throw WorkerError(
                .directory,
                "The worker cannot count its starts. \(error) Make room there, and its directory writable."
            )
        }
        do {
            identity = try Self.identity(in: absolute, madeUpName: madeUpName)
        } catch {
            close(lock)
            throw WorkerError(
                .directory,
                "The worker cannot keep who it is. \(error) Make room there, and its directory writable."
            )
        }
        self.path = absolute
        self.lock = lock
        for stale in [results, inputs] { try? FileManager.default.removeItem(atPath: stale) }
        for needed in [outputs, results, inputs, noInputs] where mkdir(needed, 0o700) != 0 && errno != EEXIST {
            throw failure(reason())
        }
    }

    /// Makes a directory, with those that it lies in where they are missing, for its owner alone.
    ///
    /// - Returns: whether it is there now; else the reason is in errno.
    static func make(_ path: String) -> Bool {
        if mkdir(path, 0o700) == 0 { return true }
        if errno == EEXIST {
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
                errno = ENOTDIR
                return false
            }
            return true
        }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex,
            make(String(path[..<slash]))
        else { return false }
        return path.hasSuffix("/") || mkdir(path, 0o700) == 0 || errno == EEXIST
    }

    /// The identity in a directory, which is drawn where there is none.
    private static func identity(in path: String, madeUpName: String?) throws(FileFailure) -> WorkerIdentity {
        if let identity = WorkerIdentity.read(path + "/identity") { return identity }
        let identity = WorkerIdentity(id: .random(), madeUpName: madeUpName)
        try identity.write(to: path + "/identity")
        return identity
    }

    /// Lets the next worker in this directory draw an identity of its own, because another one that is running has this one:
    /// a directory was copied.
    ///
    /// One that was given no name gets another name with it, and so another directory.
    func forgetIdentity() {
        restoration.withLock { restoration in
            restoration.isIdentityForgotten = true
            unlink(path + "/identity")
        }
    }

    deinit {
        unlock()
        close(lock)
    }

    /// Lets another worker use the directory.
    ///
    /// Closing it would not do: a process that is just being started has a copy of the descriptor for a moment.
    func unlock() {
        flock(lock, LOCK_UN)
    }

    /// What it is called.
    var name: String { path.split(separator: "/").last.map(String.init) ?? "worker" }

    /// The file that names the process groups of running attempts.
    var groups: String { path + "/groups" }
    /// The directory of outputs.
    var outputs: String { path + "/outputs" }
    var results: String { path + "/results" }
    var inputs: String { path + "/inputs" }
    /// `BATON_INPUTS` of all attempts that have none: a directory that stays empty.
    var noInputs: String { results + "/none" }

    /// What stands in the environment of all attempts of a worker in this directory, and of nothing else.
    var mark: String { "BATON_RESULT=\(results)/" }

    /// `BATON_RESULT` of an attempt.
    func result(of token: AttemptToken) -> String { "\(results)/\(token.fileName)" }

    /// `BATON_INPUTS` of an attempt that has some.
    func inputs(of token: AttemptToken) -> String { "\(inputs)/\(token.fileName)" }
}
