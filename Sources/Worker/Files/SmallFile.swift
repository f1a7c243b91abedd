@_spi(Baton) import BatonProcesses

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Files that are written at once, for their owner alone.
enum SmallFile {
    /// Replaces a file with a text, as ``replace(_:withBytes:)`` does.
    static func replace(_ path: String, with text: String) throws(FileFailure) {
        try replace(path, withBytes: Array(text.utf8))
    }

    /// Replaces a file, on disk before the call returns; a crash leaves the old or the new file.
    static func replace(_ path: String, withBytes bytes: [UInt8]) throws(FileFailure) {
        let draft = path + ".new"
        let descriptor = OwnFile.create(draft, O_WRONLY, 0o600)
        guard descriptor >= 0 else { throw FileFailure("Cannot write", draft) }
        defer { closeDescriptor(descriptor) }
        guard bytes.withUnsafeBytes({ write($0, to: descriptor) }), fsync(descriptor) == 0, rename(draft, path) == 0
        else { throw FileFailure("Cannot write", draft) }
    }

    /// Writes bytes at the beginning of a file.
    ///
    /// - Returns: whether all bytes were written; else the reason is in errno.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(written))
            if count > 0 {
                written += count
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}
