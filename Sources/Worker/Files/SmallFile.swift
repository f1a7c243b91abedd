#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Files of a line, which only their owner reads.
enum SmallFile {
    /// Puts another file in the place of the one that is there, on disk before this returns: a crash leaves one of the two.
    static func replace(_ path: String, with text: String) throws(FileFailure) {
        let draft = path + ".new"
        let descriptor = openDescriptor(draft, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0 else { throw FileFailure("Cannot write", draft) }
        defer { closeDescriptor(descriptor) }
        let bytes = Array(text.utf8)
        // One that was left by an earlier Baton could be read by all.
        guard fchmod(descriptor, 0o600) == 0, pwrite(descriptor, bytes, bytes.count, 0) == bytes.count,
            fsync(descriptor) == 0, rename(draft, path) == 0
        else { throw FileFailure("Cannot write", draft) }
    }
}
