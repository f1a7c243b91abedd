@_spi(Baton) import BatonProcesses
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Files of ended attempts that processes still print to.
///
/// A process that moved to another session outlives its attempt, and keeps the attempt's descriptors. What it prints takes room like any
/// other output, also in a file without a name, and so the limits hold for it.
extension OutputArchive {
    /// A file that outlived its attempt.
    struct LeftFile {
        let file: PooledOutputFile
        /// The attempt whose output the file is; nil for a file without a name.
        var stem: String?
        var suffix = ""
        /// The bytes of the attempt's output at its end.
        var bytesOfAttempt: UInt64 = 0
    }

    /// Whether a process can print to the file of an ended attempt.
    var hasLeftFiles: Bool { state.withLock { $0.isTrimmingLeft || !$0.left.isEmpty } }

    /// Keeps a file for ``trimLeftFiles()`` if a process can print to it, and closes it otherwise.
    func leave(_ left: LeftFile) {
        if limits.leftFiles > 0, left.file.writers == .some { keep(left) } else { closeDescriptor(left.file.reader) }
    }

    private func keep(_ left: LeftFile) {
        let dropped = state.withLock { state -> LeftFile? in
            state.left.append(left)
            return state.left.count > limits.leftFiles ? state.left.removeFirst() : nil
        }
        if let dropped { closeDescriptor(dropped.file.reader) }
    }

    /// Trims the files that processes of ended attempts print to, counts what the files have, and closes those without such a process.
    ///
    /// Call it from any thread but the reading thread.
    func trimLeftFiles() {
        trimming.withLock { _ in
            // Take the files out of the state: if another thread closed a file, its descriptor's number could be given to another file.
            let all = state.withLock { state in
                defer { (state.left, state.isTrimmingLeft) = ([], true) }
                return state.left
            }
            defer { state.withLock { $0.isTrimmingLeft = false } }
            for left in all {
                let isOver = left.file.writers != .some
                trim(left)
                count(left)
                if isOver { closeDescriptor(left.file.reader) } else { keep(left) }
            }
        }
        evict()
    }

    /// Closes the files that are left.
    func closeLeftFiles() {
        let all = state.withLock { state in
            defer { state.left = [] }
            return state.left
        }
        for left in all { closeDescriptor(left.file.reader) }
    }

    /// Removes the oldest part of a file, down to the limit of a stream.
    private func trim(_ left: LeftFile) {
        let length = left.file.length
        // Less would be no whole hole.
        let most = limits.streamBytes + Hole.alignment
        guard length - min(length, Hole.firstData(left.file.reader, from: 0)) > most else { return }
        let writer = openDescriptor("/proc/self/fd/\(left.file.reader)", O_WRONLY)
        guard writer >= 0 else { return }
        defer { closeDescriptor(writer) }
        if Hole.punch(writer, upTo: Hole.end(ofFile: length, keeping: limits.streamBytes)) { return }
        // The file system cannot free a part of a file. Its writers append, and go on at the beginning.
        guard ftruncate(writer, 0) == 0, let stem = left.stem else { return }
        let path = stem + left.suffix
        CutMark.set(CutMark.base(of: path) + length, of: path)
    }

    /// Counts what an attempt's output has now.
    private func count(_ left: LeftFile) {
        guard let stem = left.stem else { return }
        var status = stat()
        // The output may have been removed to keep the limit of all outputs.
        guard fstat(left.file.reader, &status) == 0, status.st_nlink > 0 else { return }
        let bytes = Self.keptBytes(of: stem)
        state.withLock { state in
            let before = state.large[stem] ?? left.bytesOfAttempt
            guard bytes != before else { return }
            state.bytes = state.bytes + bytes - min(before, state.bytes + bytes)
            state.large[stem] = bytes
        }
    }
}
