import Glibc

/// A file that this program makes and keeps for itself, in a directory where another program may have put something else in its place.
///
/// A link would lead to a file of others, and a named pipe would stop the thread that opens it.
@_spi(Baton) public enum OwnFile {
    /// Opens an ordinary file, as open(2), and lets no program inherit it.
    ///
    /// The descriptor may have `O_NONBLOCK`, which ordinary files ignore.
    ///
    /// - Returns: the descriptor; a negative number on failure, with the reason in errno: `ELOOP` for a link, and for anything else than
    ///   an ordinary file.
    public static func open(_ path: String, _ flags: Int32, _ mode: UInt32 = 0) -> Int32 {
        let descriptor = openAny(path, flags, mode)
        guard descriptor >= 0 else { return descriptor }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            errno = ELOOP
            return -1
        }
        return descriptor
    }

    /// Opens an ordinary file that this program has open already, as ``open(_:_:_:)``, with fewer calls of the system.
    ///
    /// - Parameter identity: the identity of the open file.
    /// - Returns: the descriptor; a negative number on failure, with the reason in errno: `ESTALE` if another file is at the path.
    public static func open(_ path: String, _ flags: Int32, as identity: FileIdentity) -> Int32 {
        let descriptor = openAny(path, flags, 0)
        guard descriptor >= 0 else { return descriptor }
        guard FileIdentity(of: descriptor) == identity else {
            close(descriptor)
            errno = ESTALE
            return -1
        }
        return descriptor
    }

    /// Opens what is at a path, which a link is not, and waits for nobody.
    private static func openAny(_ path: String, _ flags: Int32, _ mode: UInt32) -> Int32 {
        let flags = flags | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY
        // The string itself as an argument would be copied into an array for the call.
        let descriptor = path.withCString { path -> Int32 in
            let descriptor = Glibc.open(path, flags | O_NONBLOCK, mode)
            guard descriptor < 0, errno == EWOULDBLOCK else { return descriptor }
            // Somebody has a lease on the file for a moment, as only ordinary files have.
            return Glibc.open(path, flags, mode)
        }
        // A pipe without a reader, a socket, and a directory have reasons of their own.
        if descriptor < 0, errno == ENXIO || errno == EISDIR { errno = ELOOP }
        return descriptor
    }

    /// Makes a file, in place of anything that has its name, except a directory.
    ///
    /// - Returns: the descriptor; a negative number on failure, with the reason in errno.
    public static func create(_ path: String, _ flags: Int32, _ mode: UInt32) -> Int32 {
        let flags = flags | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let descriptor = Glibc.open(path, flags, mode)
        guard descriptor < 0, errno == EEXIST, unlink(path) == 0 else { return descriptor }
        return Glibc.open(path, flags, mode)
    }

    /// Whether an ordinary file is at a path; else the reason is in errno: `ELOOP` for a link and anything else.
    public static func isOrdinary(_ path: String) -> Bool { isOf(S_IFREG, path, otherwise: ELOOP) }

    /// Whether a directory is at a path, and no link to one; else the reason is in errno: `ENOTDIR` for a link and anything else.
    public static func isDirectory(_ path: String) -> Bool { isOf(S_IFDIR, path, otherwise: ENOTDIR) }

    private static func isOf(_ kind: mode_t, _ path: String, otherwise code: Int32) -> Bool {
        var status = stat()
        guard path.withCString({ lstat($0, &status) }) == 0 else { return false }
        guard status.st_mode & S_IFMT == kind else {
            errno = code
            return false
        }
        return true
    }

    /// Whether a path still leads to an open file, and not by a link.
    public static func isInPlace(_ descriptor: Int32, at path: String) -> Bool {
        guard let identity = FileIdentity(of: descriptor) else { return false }
        return FileIdentity(at: path) == identity
    }

    /// The reason of a failure of these functions in words.
    public static func reason(_ code: Int32) -> String {
        code == ELOOP ? "it is a link, or no ordinary file; remove it" : systemReason(code)
    }
}
