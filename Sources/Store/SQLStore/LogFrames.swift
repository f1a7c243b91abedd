#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The frames of a write-ahead log, as its file has them.
enum LogFrames {
    /// The beginning of a frame.
    struct Header {
        /// The number of the frame's page.
        var page: Int64
        /// Whether the frame is the last one of a commit.
        var isCommit: Bool
    }

    /// The two random words in the header of the log beside a file, which each beginning of the log gets; nil for a log without a header.
    static func salt(ofLogBeside file: String) -> UInt64? {
        let descriptor = open(file + "-wal", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var salt: UInt64 = 0
        let size = MemoryLayout<UInt64>.size
        return pread(descriptor, &salt, size, 16) == size ? salt : nil
    }

    /// Calls a body with each frame that belongs to the log of a database, until the body returns false.
    ///
    /// - Parameters:
    ///   - database: the open file, which has a log.
    ///   - file: the file's path, without symbolic links.
    /// - Complexity: O(frames).
    static func forEach(
        of database: Database,
        _ file: String,
        _ body: (Header) -> Bool
    ) throws(SQLError) {
        // A file without a log has no index, and the question for one would make it.
        let mode = try database.prepare("PRAGMA journal_mode").first { row throws(SQLError) in try row.text(0) }
        let pageSize = try database.number("PRAGMA page_size") ?? 0
        guard mode == "wal", let frames = database.logIndex?.frames else { return }
        let descriptor = open(file + "-wal", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // A frame begins with the number of its page, and that of the pages after a commit, the highest byte of each first.
        var bytes = [UInt8](repeating: 0, count: 8)
        for frame in 0..<frames {
            let start = off_t(FileLengths.logLength(frames: frame, pageSize: pageSize))
            guard pread(descriptor, &bytes, bytes.count, start) == bytes.count else { return }
            let page = bytes.prefix(4).reduce(0) { $0 << 8 | Int64($1) }
            guard body(Header(page: page, isCommit: bytes.suffix(4).contains { $0 != 0 })) else { return }
        }
    }
}
