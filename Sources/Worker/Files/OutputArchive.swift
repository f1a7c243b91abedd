@_spi(Baton) import BatonOperations
import Synchronization
@_spi(Baton) import BatonWire

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

/// The output of attempts, kept in files up to a limit.
///
/// The largest output gives way first, from its oldest end. If no output is large, the outputs of the oldest attempts
/// go.
///
/// A file is named after its operation and attempt, `JOB.INDEX.INCARNATION.EPOCH.SERIAL.out` or `.err`, so a request
/// finds the file without any index, also after a restart of the worker. The file gets the name when its attempt ends:
/// until then the file is a ``PooledOutputFile``. It returns to the pool if nothing was printed, or so little that the
/// attempt's result has all of it (``closeShort(_:)``).
final class OutputArchive: Sendable {
    /// The limits of kept output.
    struct Limits: Sendable {
        /// The most bytes in all files of ended attempts.
        var bytes: UInt64 = 1 << 30
        /// The bytes that every attempt may keep, except the oldest.
        var share: UInt64 = 1 << 20
        /// The bytes at the end of each stream that are kept at least; older bytes may be removed.
        var streamBytes: UInt64 = 256 << 20
        /// The most ended attempts with kept output.
        var attempts = 100_000
        /// The most blank files that wait for an attempt; each file holds a descriptor.
        var pooledFiles = 16
        /// The most files of ended attempts that are trimmed while a process still prints to them; each holds a descriptor.
        var leftFiles = 16
    }

    struct Kept {
        var stem: String
        var bytes: UInt64
    }

    struct Running {
        var output: AttemptOutput
        /// Whether a reader may have the files open.
        var wasRead = false
        /// The parts of the streams that the files still have.
        var spans = RunningSpans()
    }

    struct State {
        /// Attempts that have not ended.
        var running: [OutputOwner: Running] = [:]
        /// Ended attempts with output, oldest first.
        var kept: [Kept] = []
        /// Entries before this index are gone.
        var first = 0
        var bytes: UInt64 = 0
        /// The present bytes of attempts that had more than the share at their end.
        var large: [String: UInt64] = [:]
        /// Running attempts with a stream that was cut, so that its file has a base above zero.
        var cut: Set<OutputOwner> = []
        /// The files of ended attempts that a process can still print to, oldest first.
        var left: [LeftFile] = []
        /// Whether a trim has taken these files out.
        var isTrimmingLeft = false
    }

    private let directory: String
    let limits: Limits
    private let blanks: OutputFilePool
    let state: Mutex<State>
    /// Held while a running attempt's stream is trimmed, and while a stream becomes the stream of an ended attempt.
    let trimming = Mutex(())

    /// Adopts the files in a directory, and removes blank files of an earlier life.
    ///
    /// - Complexity: O(n log n) for n files.
    init(directory: String, limits: Limits = Limits()) {
        self.directory = directory
        self.limits = limits
        var state = State()
        state.kept = Self.attempts(in: directory)
        state.bytes = state.kept.reduce(0) { $0 + $1.bytes }
        for kept in state.kept where kept.bytes > limits.share { state.large[kept.stem] = kept.bytes }
        self.state = Mutex(state)
        blanks = OutputFilePool(directory: directory, limit: limits.pooledFiles)
        evict()
    }

    /// Whether enough blank files wait to provide another attempt without new files.
    var hasPooledFiles: Bool { blanks.waitingCount >= 2 }

    /// Provides the output files of a starting attempt.
    func open(_ token: AttemptToken, of operation: OperationID) throws(FileFailure) -> AttemptOutput {
        let output = try AttemptOutput.open(for: OutputOwner(token, of: operation), from: blanks)
        state.withLock { $0.running[output.owner] = Running(output: output) }
        return output
    }

    /// Keeps the output of an ended attempt, and returns the ends of both streams.
    ///
    /// The caller closes the attempt's writers first.
    func close(_ output: AttemptOutput) -> (standardOutput: OutputTail, standardError: OutputTail) {
        defer { evict() }
        return trimming.withLock { _ in closeAlone(output) }
    }

    private func closeAlone(_ output: AttemptOutput) -> (standardOutput: OutputTail, standardError: OutputTail) {
        trimEnded(output)
        let spans = state.withLock { $0.running[output.owner]?.spans } ?? RunningSpans()
        let tails = (
            output.standardOutput.tail(of: spans.standardOutput), output.standardError.tail(of: spans.standardError)
        )
        let streams = [
            (output.standardOutput.file, tails.0, ".out", spans.standardOutput),
            (output.standardError.file, tails.1, ".err", spans.standardError),
        ]
        let stem = stem(of: output.owner)
        // Rename the files before forgetting them: a reader finds them in either place.
        var bytes: UInt64 = 0
        for (file, tail, suffix, span) in streams where tail.totalLength > 0 {
            let path = stem + suffix
            if span.base > 0 { CutMark.set(span.base, of: path) }
            if file.isInPlace, rename(file.path, path) == 0 {
                bytes += span.kept(ofFile: file.length)
            } else {
                unlink(file.path)
            }
        }
        let wasRead = forgetRunning(output)
        if bytes > 0 {
            state.withLock { state in
                state.kept.append(Kept(stem: stem, bytes: bytes))
                state.bytes += bytes
                if bytes > limits.share { state.large[stem] = bytes }
            }
        }
        for (file, tail, suffix, _) in streams {
            if tail.totalLength > 0 {
                leave(LeftFile(file: file, stem: stem, suffix: suffix, bytesOfAttempt: bytes))
            } else {
                giveBack(file, wasRead: wasRead)
            }
        }
        return tails
    }

    /// Takes the output of an ended attempt out of its files, and returns the files to the pool, if the record will keep
    /// the whole output (``BatonOperations/OutputTail/maximumLength``).
    ///
    /// From then on only the attempt's result has the output: first in the outbox, and at last in the record. The worker's
    /// own thread may call it, as a few system calls do it.
    ///
    /// The caller closes the attempt's writers first.
    ///
    /// - Returns: nil if nothing was done: the output is longer or was cut, or a process may have the files open.
    func closeShort(_ output: AttemptOutput) -> (standardOutput: OutputTail, standardError: OutputTail)? {
        let limit = min(UInt64(OutputTail.maximumLength), limits.streamBytes)
        let (outputFile, errorFile) = (output.standardOutput.file, output.standardError.file)
        guard let printed = outputFile.finalContent(atMost: limit),
            let errors = errorFile.finalContent(atMost: limit), forgetUntouched(output)
        else { return nil }
        blanks.take(outputFile, withContentOf: printed.count)
        blanks.take(errorFile, withContentOf: errors.count)
        return (
            OutputTail(totalLength: UInt64(printed.count), bytes: printed),
            OutputTail(totalLength: UInt64(errors.count), bytes: errors)
        )
    }

    /// Forgets a running attempt whose files no reader may have open, and of whose output nothing was cut.
    ///
    /// A cut is noted before its file becomes shorter: a call after the reading of the files notices the cut.
    ///
    /// - Returns: false if nothing was done.
    private func forgetUntouched(_ output: AttemptOutput) -> Bool {
        state.withLock { state in
            guard let place = state.running.index(forKey: output.owner), !state.running.values[place].wasRead,
                state.cut.isEmpty || !state.cut.contains(output.owner)
            else { return false }
            state.running.remove(at: place)
            return true
        }
    }

    /// - Returns: whether a reader may have the attempt's files open.
    private func forgetRunning(_ output: AttemptOutput) -> Bool {
        state.withLock { state in
            if !state.cut.isEmpty { state.cut.remove(output.owner) }
            return state.running.removeValue(forKey: output.owner)?.wasRead ?? false
        }
    }

    private func giveBack(_ file: PooledOutputFile, wasRead: Bool) {
        // A reader of a reused file would get another attempt's output.
        if !wasRead, blanks.takeBack(file) { return }
        // Processes that still print to the file print to nowhere, and yet take room.
        unlink(file.path)
        leave(LeftFile(file: file))
    }

    /// Removes the waiting blank files, which are all blank files once no attempt runs, and closes the files that are left.
    func removePooledFiles() {
        blanks.removeAll()
        closeLeftFiles()
    }

    /// The common path of an attempt's kept files, without `.out` and `.err`.
    func stem(of owner: OutputOwner) -> String {
        "\(directory)/\(owner.operation.job).\(owner.operation.index).\(owner.token.fileName)"
    }

    /// The attempts with files, oldest first.
    static func attempts(in directory: String) -> [Kept] {
        var found: [String: (bytes: UInt64, time: Double)] = [:]
        for name in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [] {
            if name.hasPrefix(PooledOutputFile.namePrefix) { unlink(directory + "/" + name) }
            guard name.hasSuffix(".out") || name.hasSuffix(".err") else { continue }
            let path = directory + "/" + name
            var status = stat()
            // Anything but a file is not of this worker, and is not read.
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            guard status.st_size > 0 else {
                unlink(path)
                continue
            }
            let time = status.modificationTime
            // Holes take no room.
            let bytes = min(UInt64(status.st_size), UInt64(status.st_blocks) * 512)
            let before = found[String(path.dropLast(4))] ?? (0, 0)
            found[String(path.dropLast(4))] = (before.bytes + bytes, max(before.time, time))
        }
        return found.sorted { $0.value.time < $1.value.time }.map { Kept(stem: $0.key, bytes: $0.value.bytes) }
    }
}

extension stat {
    /// The time of the last write to the file, in seconds since 1970.
    fileprivate var modificationTime: Double {
        #if canImport(Glibc)
            Double(st_mtim.tv_sec) + Double(st_mtim.tv_nsec) / 1e9
        #else
            Double(st_mtimespec.tv_sec) + Double(st_mtimespec.tv_nsec) / 1e9
        #endif
    }
}
