@_spi(Baton) import BatonDigests
@_spi(Baton) import BatonOperations

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The bytes of open files.
enum FileContent {
    /// The bytes that are read at once.
    private static let pieceLength = 1 << 20

    /// Reads a file from its beginning to its end.
    ///
    /// - Parameter path: the path of the file, for errors.
    /// - Returns: the number of bytes.
    static func read(
        _ descriptor: Int32,
        named path: String,
        _ body: (UnsafeRawBufferPointer) throws(FileFailure) -> Void
    ) throws(FileFailure) -> UInt64 {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceLength, alignment: 4096)
        defer { buffer.deallocate() }
        var offset: UInt64 = 0
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(clamping: offset))
            if count == 0 { return offset }
            guard count > 0 else {
                guard errno == EINTR else { throw FileFailure("Cannot read the file", path) }
                continue
            }
            try body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]))
            offset += UInt64(count)
        }
    }

    /// Computes the digest of a file.
    ///
    /// - Returns: the digest, and the number of bytes that it was computed of.
    static func digest(
        of descriptor: Int32,
        named path: String,
        _ isWanted: () -> Bool
    ) throws(FileFailure) -> (digest: ContentDigest, size: UInt64) {
        var hash = SHA256()
        let size = try read(descriptor, named: path) { (bytes: UnsafeRawBufferPointer) throws(FileFailure) -> Void in
            guard isWanted() else { throw .stopped }
            hash.update(bytes)
        }
        return (try digest(of: &hash), size)
    }

    /// Ends a hash.
    static func digest(of hash: inout SHA256) throws(FileFailure) -> ContentDigest {
        guard let digest = ContentDigest(bytes: hash.finish()) else {
            throw FileFailure("The digest of a file does not have the length that it should have.")
        }
        return digest
    }

    /// Makes a file share the blocks of another one, which only some file systems can.
    ///
    /// - Returns: whether it has the other file's content now.
    static func share(_ source: Int32, with target: Int32) -> Bool {
        #if os(Linux)
            // FICLONE of linux/fs.h, missing in Swift's Glibc module.
            let clone: UInt = 0x4004_9409
            return ioctl(target, clone, source) == 0
        #else
            return false
        #endif
    }
}

extension FileFailure {
    /// The worker ends, and nothing more is kept.
    static let stopped = FileFailure("The worker was stopped while it kept files.", code: ECANCELED)
}
