@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses
@_spi(Baton) import BatonThreads
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The directory of a worker: its paths, and the lock that keeps a second worker out.
///
/// Outputs survive the worker, so a restarted worker can still read them. Results and inputs belong to attempts that
/// no later life continues: the next life removes them. The ends that the coordinator has not acknowledged pass to the next
/// life in a file of their own.
final class WorkerDirectory: Sendable {
    /// The parts that are not restored after their removal.
    struct Restoration {
        /// Another running worker has the identity.
        var isIdentityForgotten = false
    }

    /// The absolute path.
    let path: String
    /// The directory of outputs.
    let outputs: String
    /// The directory of results.
    let results: String
    /// What the paths of all results begin with.
    private let resultsStart: String
    /// The directory of inputs.
    let inputs: String
    /// `BATON_INPUTS` of all attempts without inputs: a directory that stays empty.
    let noInputs: String
    /// The life of the worker that has taken the directory.
    let life: WorkerLife
    /// The worker's identity, with its name if the name was made up.
    let identity: WorkerIdentity
    /// Holds the lock until the worker, or at the latest the kernel, releases it.
    let lock: Int32
    /// The start that took the directory.
    let start: StartCount
    /// Held while removed directories and files are restored.
    let restoration = Mutex(Restoration())
    /// Whether the directory of results is the worker's own.
    let resultsPlace: ResultsPlace

    /// The files beside the lock, each of which is an ordinary file or missing at the start.
    ///
    /// The file of kept attempts is put aside if it is no ordinary one.
    private static let files = ["starts", "identity", "groups", "ledger"]

    /// Takes a directory, created if missing, and begins a life of the worker.
    ///
    /// - Parameters:
    ///   - path: the path of the directory.
    ///   - madeUpName: the worker's made-up name, if a new directory shall keep the name.
    /// - Throws: `WorkerError` if the directory cannot be created, written or locked, or if a link or something else is in the place of
    ///   one of its files, or of the directory of outputs.
    init(_ path: String, madeUpName: String? = nil) throws(WorkerError) {
        let absolute = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        guard Self.make(absolute) else { throw .unusable(absolute, code: errno) }
        func notOrdinary(_ name: String) -> WorkerError {
            WorkerError(
                .directory,
                "The file \"\(absolute)/\(name)\" of the worker is a link, or no ordinary file. Remove it."
            )
        }
        let lock = OwnFile.open(absolute + "/lock", O_RDWR | O_CREAT, 0o600)
        guard lock >= 0 else { throw errno == ELOOP ? notOrdinary("lock") : .unusable(absolute, code: errno) }
        // An earlier Baton created files readable for all users, and any user who can read the lock can take it. The mode of a directory
        // to which a link leads is a matter of whoever made it.
        if OwnFile.isDirectory(absolute) { chmod(absolute, 0o700) }
        fchmod(lock, 0o600)
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            close(lock)
            guard code == EWOULDBLOCK else { throw .unusable(absolute, code: code) }
            throw WorkerError(
                .directoryInUse,
                "Another worker uses the directory \"\(absolute)\"."
            )
        }
        for name in Self.files where !OwnFile.isOrdinary("\(absolute)/\(name)") && errno == ELOOP {
            close(lock)
            throw notOrdinary(name)
        }
        if !OwnFile.isDirectory(absolute + "/outputs"), errno == ENOTDIR {
            close(lock)
            throw WorkerError(.directory, FileFailure(noDirectoryAt: absolute + "/outputs").description)
        }
        do {
            start = try StartCount.raise(at: absolute + "/starts")
            life = start.life
        } catch {
            close(lock)
            throw WorkerError(
                .directory,
                "The worker cannot count its starts. \(error) Free some space there, and make its directory writable.",
                mayPass: SystemObstacle.mayPass(error.code)
            )
        }
        do {
            identity = try Self.identity(in: absolute, madeUpName: madeUpName)
        } catch {
            close(lock)
            throw WorkerError(
                .directory,
                "The worker cannot store its identity. \(error) Free some space there, and make its directory "
                    + "writable.",
                mayPass: SystemObstacle.mayPass(error.code)
            )
        }
        self.path = absolute
        outputs = absolute + "/outputs"
        results = absolute + "/results"
        resultsStart = absolute + "/results/"
        inputs = absolute + "/inputs"
        noInputs = absolute + "/results/none"
        self.lock = lock
        resultsPlace = ResultsPlace(absolute + "/results")
        for stale in [results, inputs] { FileTree.remove(stale) }
        for needed in [outputs, results, inputs, noInputs] {
            guard mkdir(needed, 0o700) == 0 || OwnFile.isDirectory(needed) else {
                throw .unusable(absolute, code: errno)
            }
        }
        do {
            _ = try resultsPlace.adopt()
        } catch {
            throw WorkerError(.directory, error.description)
        }
    }

    /// Creates a directory, and missing parents, for the owner alone.
    ///
    /// - Returns: whether the directory exists now; else the reason is in errno.
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

    /// Reads the identity in a directory, or draws a new identity.
    private static func identity(in path: String, madeUpName: String?) throws(FileFailure) -> WorkerIdentity {
        if let identity = WorkerIdentity.read(path + "/identity") { return identity }
        let identity = WorkerIdentity(id: .random(), madeUpName: madeUpName)
        try identity.write(to: path + "/identity")
        return identity
    }

    /// Lets the next worker in this directory draw a new identity, because another running worker has the present
    /// identity: the directory was copied.
    ///
    /// A worker without a given name then also gets another name, and so another directory.
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
    /// Closing the descriptor would not suffice: a process that is just being started has a copy for a moment.
    func unlock() {
        flock(lock, LOCK_UN)
    }

    /// The name of a worker without a given name: the last part of the path.
    var name: String { path.split(separator: "/").last.map(String.init) ?? "worker" }

    /// The file that names the process groups of running attempts.
    var groups: String { path + "/groups" }
    /// The file that names the control group for limits of memory.
    var memoryGroup: String { path + "/memory-group" }
    /// The socket at which the worker tells its health.
    var health: String { path + "/health" }
    /// The file of the attempts that an earlier worker has left.
    var kept: KeptAttemptsFile { KeptAttemptsFile(path: path + "/kept") }
    /// The file of the attempts that have started and whose ends are not acknowledged.
    var ledger: String { path + "/ledger" }

    /// The text in the environment of all attempts of a worker in this directory, except completion hooks, and of no
    /// other process.
    var mark: String { "BATON_RESULT=\(resultsStart)" }

    /// The directory of the files that the worker keeps.
    var files: String { path + "/files" }
    /// A fifth of the bytes of the file system; the largest allowed limit if the system does not tell the size.
    var fifthOfDisk: UInt64 {
        var disk = statvfs()
        guard statvfs(path, &disk) == 0, disk.f_blocks > 0 else { return UInt64(ByteSize.maximum) }
        return UInt64(disk.f_blocks).multipliedReportingOverflow(by: UInt64(disk.f_frsize)).partialValue / 5
    }
    /// The directory of the directories of attempts.
    private var workspaces: String { path + "/workspaces" }

    /// The directory of an attempt with a fresh workspace.
    func workspace(of token: AttemptToken) -> String { "\(workspaces)/\(token.fileName)" }

    /// Makes the empty directory of an attempt.
    func makeWorkspace(of token: AttemptToken) throws(FileFailure) {
        let workspace = workspace(of: token)
        if mkdir(workspace, 0o755) == 0 { return }
        // An interrupted start has left it, or another program has put something there.
        if errno == EEXIST { FileTree.remove(workspace) }
        if !OwnFile.isDirectory(workspaces) {
            if errno == ENOTDIR { unlink(workspaces) }
            guard mkdir(workspaces, 0o700) == 0 else { throw FileFailure("Cannot make the directory", workspaces) }
        }
        guard mkdir(workspace, 0o755) == 0 else { throw FileFailure("Cannot make the directory", workspace) }
    }

    /// Removes the directories of attempts that an earlier life has left, once its processes are gone.
    func removeWorkspaces() { FileTree.remove(workspaces) }

    /// `BATON_RESULT` of an attempt.
    func result(of token: AttemptToken) -> String { resultsStart + token.fileName }

    /// `BATON_INPUTS` of an attempt with inputs.
    func inputs(of token: AttemptToken) -> String { "\(inputs)/\(token.fileName)" }

    /// The file for the standard input of an attempt whose work has the bytes.
    func standardInput(of token: AttemptToken) -> String { "\(inputs)/\(token.fileName).stdin" }
}

extension WorkerError {
    /// The system does not let a worker use its directory.
    ///
    /// - Parameter code: the system's error number.
    static func unusable(_ directory: String, code: Int32) -> WorkerError {
        let why = strerror(code).map { String(cString: $0) } ?? "error \(code)"
        return WorkerError(
            .directory,
            "The directory \"\(directory)\" cannot be used: \(why). Make it writable, or name another one.",
            mayPass: SystemObstacle.mayPass(code)
        )
    }
}
