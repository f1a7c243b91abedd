#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Files of a single line, for their owner alone.
enum SmallFile {
    /// Replaces a file, on disk before the call returns; a crash leaves the old or the new file.
    static func replace(_ path: String, with text: String) throws(FileFailure) {
        let draft = path + ".new"
        let descriptor = openDescriptor(draft, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0 else { throw FileFailure("Cannot write", draft) }
        defer { closeDescriptor(descriptor) }
        let bytes = Array(text.utf8)
        // A draft left by an earlier Baton could be readable for all users.
        guard fchmod(descriptor, 0o600) == 0, pwrite(descriptor, bytes, bytes.count, 0) == bytes.count,
            fsync(descriptor) == 0, rename(draft, path) == 0
        else { throw FileFailure("Cannot write", draft) }
    }
}
