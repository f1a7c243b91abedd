@_spi(Baton) import BatonProcesses

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Brings files and the names of files to the disk.
enum FileSync {
    /// Waits until the bytes of a file are on disk.
    static func file(_ path: String) throws(FileFailure) {
        let descriptor = OwnFile.open(path, O_RDONLY)
        guard descriptor >= 0 else { throw FileFailure(own: "Cannot read the file", path) }
        defer { closeDescriptor(descriptor) }
        guard fsync(descriptor) == 0 else { throw FileFailure("Cannot bring to the disk the file", path) }
    }

    /// The directory in which an absolute path is.
    static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// Waits until the names in a directory are on disk, where the file system can tell.
    static func directory(_ path: String) throws(FileFailure) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure("Cannot read the directory", path) }
        defer { closeDescriptor(descriptor) }
        guard fsync(descriptor) != 0, ![EINVAL, EOPNOTSUPP, ENOSYS, EBADF].contains(errno) else { return }
        throw FileFailure("Cannot bring to the disk the directory", path)
    }
}
