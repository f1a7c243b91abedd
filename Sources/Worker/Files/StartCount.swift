import BatonOperations

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The count of the workers that were started in a directory, on disk.
///
/// No clock could give the lives of a worker an order so well: one may be set back, and what a kernel says of the start of a
/// process counts from the boot of its host. It is to be raised by whoever holds the lock of the directory.
struct StartCount: Hashable {
    /// A number that was made up when the count began.
    let directory: UInt32
    /// How many workers were started since.
    let starts: UInt32

    /// Counts one more start, on disk before this returns.
    ///
    /// A file that is not there, or holds no count, begins another count under another number: what comes of that has no
    /// order with what was before, and so nothing newer is ever taken for older.
    ///
    /// - Throws: ``FileFailure`` where the file cannot be written.
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

    /// The count in a file; nil where there is none.
    private static func read(_ path: String) -> StartCount? {
        let descriptor = openDescriptor(path, O_RDONLY)
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

    /// Puts another file in the place of the one that is there: a crash leaves one of the two.
    func write(to path: String) throws(FileFailure) {
        try SmallFile.replace(path, with: "\(directory) \(starts)\n")
    }
}
