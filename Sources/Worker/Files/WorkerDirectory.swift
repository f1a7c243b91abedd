import Foundation
import Operations
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
    /// The absolute path.
    let path: String
    /// The life of the worker that has taken it.
    let life: WorkerLife
    /// Holds the lock until it is given up, by the kernel at the latest.
    let lock: Int32
    /// The start that it was taken with.
    let start: StartCount
    /// Held by whoever makes again what was removed.
    let restoration = Mutex(())

    /// Takes a directory, which is made where there is none; a life of the worker begins with that.
    ///
    /// - Throws: `WorkerError` where it cannot be made, written or locked.
    init(_ path: String) throws(WorkerError) {
        let absolute = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        func failure(_ why: String) -> WorkerError {
            WorkerError(
                .directory,
                "The directory \"\(absolute)\" of the worker cannot be used: \(why). Make it writable, or name another."
            )
        }
        func reason() -> String { strerror(errno).map { String(cString: $0) } ?? "error \(errno)" }
        do {
            try FileManager.default.createDirectory(atPath: absolute, withIntermediateDirectories: true)
        } catch {
            throw failure(reason())
        }
        let lock = open(absolute + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard lock >= 0 else { throw failure(reason()) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            let isTaken = errno == EWOULDBLOCK
            let why = reason()
            close(lock)
            guard isTaken else { throw failure(why) }
            throw WorkerError(
                .directory,
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
        self.path = absolute
        self.lock = lock
        for stale in [results, inputs] { try? FileManager.default.removeItem(atPath: stale) }
        for needed in [outputs, results, inputs, noInputs] where mkdir(needed, 0o700) != 0 && errno != EEXIST {
            throw failure(reason())
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
    func result(of token: AttemptToken) -> String { "\(results)/\(token)" }

    /// `BATON_INPUTS` of an attempt that has some.
    func inputs(of token: AttemptToken) -> String { "\(inputs)/\(token)" }
}
