@_spi(Baton) import BatonProcesses

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Brings files and the names of files to the disk.
struct FileSync: Sendable {
    /// Waits until the bytes of some files are on disk, all of which are in the file system of a directory.
    let files: @Sendable (_ paths: [String], _ directory: String) throws(FileFailure) -> Void
    /// Waits until the names in some directories are on disk, all of which are in the file system of another one.
    let names: @Sendable (_ paths: [String], _ directory: String) throws(FileFailure) -> Void

    /// The disk of the host.
    static let system = FileSync(
        files: { (paths: [String], directory: String) throws(FileFailure) -> Void in
            try FileSync.sync(paths, in: directory, each: FileSync.file)
        },
        names: { (paths: [String], directory: String) throws(FileFailure) -> Void in
            try FileSync.sync(paths, in: directory, each: FileSync.directory)
        }
    )

    /// The most files that are brought to the disk one by one: more of them take longer than all that other programs have written.
    private static let mostApart = 4

    private static func sync(
        _ paths: [String],
        in place: String,
        each: (String) throws(FileFailure) -> Void
    ) throws(FileFailure) {
        if paths.count > mostApart, try fileSystem(of: place) { return }
        for path in paths { try each(path) }
    }

    /// Waits until all of a file system is on disk.
    ///
    /// - Returns: false if the system does not know how.
    private static func fileSystem(of place: String) throws(FileFailure) -> Bool {
        let descriptor = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure("Cannot read the directory", place) }
        defer { closeDescriptor(descriptor) }
        if FileSystemSync.wait(descriptor) { return true }
        guard [EINVAL, EOPNOTSUPP, ENOSYS, EPERM].contains(errno) else {
            throw FileFailure("Cannot bring to the disk the files in", place)
        }
        return false
    }

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
