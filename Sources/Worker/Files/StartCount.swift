@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The count of worker starts in a directory, on disk.
///
/// No clock orders the lives of a worker as well: a clock may be set back, and the kernel's start time of a process
/// counts from the boot of its host. Only the holder of the directory's lock raises the count.
struct StartCount: Hashable {
    /// A random number, drawn when the count began.
    let directory: UInt32
    /// The number of worker starts since then.
    let starts: UInt32

    /// Counts another start, on disk before the call returns.
    ///
    /// A missing file, or a file without a count, begins a new count under a new number. Lives of different counts
    /// have no order, so a newer life is never taken for an older life.
    ///
    /// - Throws: ``FileFailure`` if the file cannot be written.
    static func raise(at path: String) throws(FileFailure) -> StartCount {
        var next = StartCount(directory: .random(in: 0..<WorkerLife.limit), starts: 1)
        if let last = read(path), last.starts + 1 < WorkerLife.limit {
            next = StartCount(directory: last.directory, starts: last.starts + 1)
        }
        try next.write(to: path)
        return next
    }

    /// The life that this start began.
    var life: WorkerLife { WorkerLife(directory: directory, start: starts, random: .random(in: 0 ... .max)) }

    /// The count in a file; nil for a file without a count.
    private static func read(_ path: String) -> StartCount? {
        let descriptor = OwnFile.open(path, O_RDONLY)
        guard descriptor >= 0 else { return nil }
        defer { closeDescriptor(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        let words = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard words.count == 2, let directory = UInt32(words[0]), let starts = UInt32(words[1]),
            directory < WorkerLife.limit, starts < WorkerLife.limit
        else { return nil }
        return StartCount(directory: directory, starts: starts)
    }

    /// Replaces the file; a crash leaves the old or the new file.
    func write(to path: String) throws(FileFailure) {
        try SmallFile.replace(path, with: "\(directory) \(starts)\n")
    }
}
