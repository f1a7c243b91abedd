import Foundation
import Operations
import Synchronization
import Wire

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What attempts printed: kept as files until they are too many, the oldest attempts first to go.
///
/// A file is named after its operation and attempt, `JOB.INDEX.INCARNATION.EPOCH.SERIAL.out` or `.err`, so that a request finds it
/// without any index, also after the worker was started again. It gets that name when its attempt is over: until then
/// it is a ``BlankFile``, and goes on as one if nothing was printed to it.
final class OutputArchive: Sendable {
    /// How much is kept.
    struct Limits: Sendable {
        /// The most bytes in all files of attempts that are over.
        var bytes: UInt64 = 1 << 30
        /// The most attempts that are over.
        var attempts = 100_000
        /// The most blank files that wait for an attempt; each holds a descriptor.
        var blankFiles = 16
    }

    private struct Kept {
        var stem: String
        var bytes: UInt64
    }

    private struct Running {
        var output: AttemptOutput
        /// Somebody may be reading its files just now.
        var wasRead = false
    }

    private struct State {
        /// Attempts that are not over, by their stems.
        var running: [String: Running] = [:]
        /// Attempts that are over and left something, oldest first.
        var kept: [Kept] = []
        /// Those before it are gone.
        var first = 0
        var bytes: UInt64 = 0
    }

    private let directory: String
    private let limits: Limits
    private let blanks: BlankFiles
    private let state: Mutex<State>

    /// Takes over what is in a directory already, and removes blank files of an earlier life.
    ///
    /// - Complexity: O(n log n) for n files.
    init(directory: String, limits: Limits = Limits()) {
        self.directory = directory
        self.limits = limits
        var state = State()
        state.kept = Self.attempts(in: directory)
        state.bytes = state.kept.reduce(0) { $0 + $1.bytes }
        self.state = Mutex(state)
        blanks = BlankFiles(directory: directory, limit: limits.blankFiles)
        evict()
    }

    /// Whether blank files wait for another attempt: then it is provided with them without much ado.
    var hasBlankFiles: Bool { blanks.waitingCount >= 2 }

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
        let tails = (output.standardOutput.tail, output.standardError.tail)
        let streams = [(output.standardOutput.file, tails.0, ".out"), (output.standardError.file, tails.1, ".err")]
        // Named before they are forgotten here: a reader finds them in one of the two places.
        var bytes: UInt64 = 0
        for (file, tail, suffix) in streams where tail.totalLength > 0 {
            if rename(file.path, output.stem + suffix) == 0 { bytes += tail.totalLength } else { unlink(file.path) }
        }
        let wasRead = forgetRunning(output)
        for (file, tail, _) in streams {
            if tail.totalLength > 0 { closeDescriptor(file.reader) } else { giveBack(file, wasRead: wasRead) }
        }
        if bytes > 0 {
            state.withLock { state in
                state.kept.append(Kept(stem: output.stem, bytes: bytes))
                state.bytes += bytes
            }
            evict()
        }
        return tails
    }

    /// Lets the files of an attempt that is over and printed nothing serve again.
    func closeBlank(_ output: AttemptOutput) {
        let wasRead = forgetRunning(output)
        for file in [output.standardOutput.file, output.standardError.file] { giveBack(file, wasRead: wasRead) }
    }

    /// - Returns: whether somebody may be reading what the attempt printed.
    private func forgetRunning(_ output: AttemptOutput) -> Bool {
        state.withLock { $0.running.removeValue(forKey: output.stem)?.wasRead ?? false }
    }

    private func giveBack(_ file: BlankFile, wasRead: Bool) {
        // Whoever reads it would be given what another attempt prints.
        if wasRead { file.remove() } else { blanks.giveBack(file) }
    }

    /// Removes the blank files that wait; once no attempt runs, these are all.
    func removeBlankFiles() {
        blanks.removeAll()
    }

    /// A piece of what an attempt printed.
    ///
    /// - Parameters:
    ///   - request: which piece.
    ///   - isOver: whether the attempt was over before this was called: what is there then is all.
    /// - Returns: nil where there is nothing of an attempt that is over (any more).
    func read(_ request: OutputRequest, isOver: Bool) -> OutputChunk? {
        let stem = stem(request.token, request.operation)
        let (suffix, other) = request.stream == .standardOutput ? (".out", ".err") : (".err", ".out")
        let descriptor = openRunning(stem, request.stream) ?? openDescriptor(stem + suffix, O_RDONLY)
        guard descriptor >= 0 else {
            // A stream with nothing in it left no file, and its attempt perhaps one for the other stream.
            guard !isOver || access(stem + other, F_OK) == 0 else { return nil }
            return OutputChunk(offset: request.offset, bytes: [], totalLength: 0, isComplete: isOver)
        }
        defer { closeDescriptor(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        let length = UInt64(status.st_size)
        let wanted = min(UInt64(request.limit), UInt64(OutputChunk.maximumLength), length - min(request.offset, length))
        let bytes = readBytes(descriptor, from: request.offset, atMost: Int(wanted))
        return OutputChunk(offset: request.offset, bytes: bytes, totalLength: length, isComplete: isOver)
    }

    /// A descriptor that reads what a running attempt prints, for the caller to close.
    private func openRunning(_ stem: String, _ stream: Wire.OutputStream) -> Int32? {
        state.withLock { state -> Int32? in
            guard let output = state.running[stem]?.output else { return nil }
            state.running[stem]?.wasRead = true
            let file = stream == .standardOutput ? output.standardOutput.file : output.standardError.file
            return fcntl(file.reader, F_DUPFD_CLOEXEC, 0)
        }
    }

    private func stem(_ token: AttemptToken, _ operation: OperationID) -> String {
        "\(directory)/\(operation.job).\(operation.index).\(token.fileName)"
    }

    /// Removes the oldest until the rest is within the limits.
    private func evict() {
        let evicted = state.withLock { state in
            var evicted: [Kept] = []
            while state.first < state.kept.count,
                state.bytes > limits.bytes || state.kept.count - state.first > limits.attempts
            {
                evicted.append(state.kept[state.first])
                state.bytes -= state.kept[state.first].bytes
                state.first += 1
            }
            if state.first >= 1024, state.first * 2 >= state.kept.count {
                state.kept.removeFirst(state.first)
                state.first = 0
            }
            return evicted
        }
        for old in evicted {
            unlink(old.stem + ".out")
            unlink(old.stem + ".err")
        }
    }

    /// The attempts of which there are files, oldest first.
    private static func attempts(in directory: String) -> [Kept] {
        var found: [String: (bytes: UInt64, time: Double)] = [:]
        for name in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [] {
            if name.hasPrefix(BlankFile.namePrefix) { unlink(directory + "/" + name) }
            guard name.hasSuffix(".out") || name.hasSuffix(".err") else { continue }
            let path = directory + "/" + name
            var status = stat()
            guard stat(path, &status) == 0 else { continue }
            guard status.st_size > 0 else {
                unlink(path)
                continue
            }
            let time = status.modificationTime
            let before = found[String(path.dropLast(4))] ?? (0, 0)
            found[String(path.dropLast(4))] = (before.bytes + UInt64(status.st_size), max(before.time, time))
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
