import Foundation
import BatonOperations
import Synchronization
import BatonWire

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What attempts printed: kept as files until they are too many.
///
/// What has most gives way first, from its oldest end. Where nobody has much, the oldest attempts go.
///
/// A file is named after its operation and attempt, `JOB.INDEX.INCARNATION.EPOCH.SERIAL.out` or `.err`, so that a request finds it
/// without any index, also after the worker was started again. It gets that name when its attempt is over: until then
/// it is a ``PooledOutputFile``, and goes on as one if nothing was printed to it.
final class OutputArchive: Sendable {
    /// How much is kept.
    struct Limits: Sendable {
        /// The most bytes in all files of attempts that are over.
        var bytes: UInt64 = 1 << 30
        /// So much of them an attempt has for itself, as long as it is not the oldest.
        var share: UInt64 = 1 << 20
        /// The most bytes of one stream of an attempt that runs, but for the overshoot.
        var streamBytes: UInt64 = 256 << 20
        /// The most attempts that are over.
        var attempts = 100_000
        /// The most blank files that wait for an attempt; each holds a descriptor.
        var pooledFiles = 16
    }

    struct Kept {
        var stem: String
        var bytes: UInt64
    }

    struct Running {
        var output: AttemptOutput
        /// Somebody may be reading its files just now.
        var wasRead = false
        /// What its files still have.
        var spans = RunningSpans()
    }

    struct State {
        /// Attempts that are not over, by their stems.
        var running: [String: Running] = [:]
        /// Attempts that are over and left something, oldest first.
        var kept: [Kept] = []
        /// Those before it are gone.
        var first = 0
        var bytes: UInt64 = 0
        /// The present bytes of those that had more than the share when they were over.
        var large: [String: UInt64] = [:]
        /// Those of the attempts that are not over of which a stream was cut.
        var cut: Set<String> = []
    }

    private let directory: String
    let limits: Limits
    private let blanks: OutputFilePool
    let state: Mutex<State>
    /// Held while a stream of an attempt that runs is cut down, and while one becomes that of an attempt that is over.
    let trimming = Mutex(())

    /// Takes over what is in a directory already, and removes blank files of an earlier life.
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

    /// Whether blank files wait for another attempt: then it is provided with them without much ado.
    var hasPooledFiles: Bool { blanks.waitingCount >= 2 }

    /// Provides the files of an attempt that starts.
    func open(_ token: AttemptToken, of operation: OperationID) throws(FileFailure) -> AttemptOutput {
        let output = try AttemptOutput.open(stem: stem(token, operation), from: blanks)
        state.withLock { $0.running[output.stem] = Running(output: output) }
        return output
    }

    /// Keeps what an attempt printed that is over, and gives the ends of both streams.
    ///
    /// The attempt's writers have been closed before.
    func close(_ output: AttemptOutput) -> (standardOutput: OutputTail, standardError: OutputTail) {
        trimming.withLock { _ in closeAlone(output) }
    }

    private func closeAlone(_ output: AttemptOutput) -> (standardOutput: OutputTail, standardError: OutputTail) {
        let spans = state.withLock { $0.running[output.stem]?.spans } ?? RunningSpans()
        let tails = (
            output.standardOutput.tail(of: spans.standardOutput), output.standardError.tail(of: spans.standardError)
        )
        let streams = [
            (output.standardOutput.file, tails.0, ".out", spans.standardOutput),
            (output.standardError.file, tails.1, ".err", spans.standardError),
        ]
        // Named before they are forgotten here: a reader finds them in one of the two places.
        var bytes: UInt64 = 0
        for (file, tail, suffix, span) in streams where tail.totalLength > 0 {
            let path = output.stem + suffix
            if span.base > 0 { CutMark.set(span.base, of: path) }
            if rename(file.path, path) == 0 { bytes += span.kept(ofFile: file.length) } else { unlink(file.path) }
        }
        let wasRead = forgetRunning(output)
        for (file, tail, _, _) in streams {
            if tail.totalLength > 0 { closeDescriptor(file.reader) } else { giveBack(file, wasRead: wasRead) }
        }
        if bytes > 0 {
            state.withLock { state in
                state.kept.append(Kept(stem: output.stem, bytes: bytes))
                state.bytes += bytes
                if bytes > limits.share { state.large[output.stem] = bytes }
            }
            evict()
        }
        return tails
    }

    /// Whether an attempt has printed nothing so far.
    func isBlank(_ output: AttemptOutput) -> Bool {
        output.isBlank && state.withLock { $0.cut.isEmpty || !$0.cut.contains(output.stem) }
    }

    /// Lets the files of an attempt that is over and printed nothing serve again.
    func closeBlank(_ output: AttemptOutput) {
        let wasRead = forgetRunning(output)
        for file in [output.standardOutput.file, output.standardError.file] { giveBack(file, wasRead: wasRead) }
    }

    /// - Returns: whether somebody may be reading what the attempt printed.
    private func forgetRunning(_ output: AttemptOutput) -> Bool {
        state.withLock { state in
            if !state.cut.isEmpty { state.cut.remove(output.stem) }
            return state.running.removeValue(forKey: output.stem)?.wasRead ?? false
        }
    }

    private func giveBack(_ file: PooledOutputFile, wasRead: Bool) {
        // Whoever reads it would be given what another attempt prints.
        if wasRead { file.remove() } else { blanks.giveBack(file) }
    }

    /// Removes the blank files that wait; once no attempt runs, these are all.
    func removePooledFiles() {
        blanks.removeAll()
    }

    func stem(_ token: AttemptToken, _ operation: OperationID) -> String {
        "\(directory)/\(operation.job).\(operation.index).\(token.fileName)"
    }

    /// The attempts of which there are files, oldest first.
    static func attempts(in directory: String) -> [Kept] {
        var found: [String: (bytes: UInt64, time: Double)] = [:]
        for name in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [] {
            if name.hasPrefix(PooledOutputFile.namePrefix) { unlink(directory + "/" + name) }
            guard name.hasSuffix(".out") || name.hasSuffix(".err") else { continue }
            let path = directory + "/" + name
            var status = stat()
            guard stat(path, &status) == 0 else { continue }
            guard status.st_size > 0 else {
                unlink(path)
                continue
            }
            let time = status.modificationTime
            // What is a hole takes no room.
            let bytes = min(UInt64(status.st_size), UInt64(status.st_blocks) * 512)
            let before = found[String(path.dropLast(4))] ?? (0, 0)
            found[String(path.dropLast(4))] = (before.bytes + bytes, max(before.time, time))
        }
        return found.sorted { $0.value.time < $1.value.time }.map { Kept(stem: $0.key, bytes: $0.value.bytes) }
    }
}

extension stat {
    /// When the file was written to last, in seconds since 1970.
    fileprivate var modificationTime: Double {
        #if canImport(Glibc)
            Double(st_mtim.tv_sec) + Double(st_mtim.tv_nsec) / 1e9
        #else
            Double(st_mtimespec.tv_sec) + Double(st_mtimespec.tv_nsec) / 1e9
        #endif
    }
}
