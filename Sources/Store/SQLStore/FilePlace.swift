#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The place of a file that is open: a path, and the file that it leads to.
struct FilePlace {
    private let path: String
    private let device: dev_t
    private let inode: ino_t

    /// Notes the file to which a path should lead; nil if there is no file.
    ///
    /// - Parameter descriptor: a descriptor of the file; nil for the file to which the path leads now.
    init?(_ path: String, of descriptor: Int32? = nil) {
        var status = stat()
        guard descriptor.map({ fstat($0, &status) }) ?? stat(path, &status) == 0 else { return nil }
        self.path = path
        device = status.st_dev
        inode = status.st_ino
    }

    /// Whether two paths have led to one file.
    func isSameFile(as other: FilePlace) -> Bool { device == other.device && inode == other.inode }

    /// Whether the path still leads to the file, which was not moved, removed or replaced.
    var isInPlace: Bool { length != nil }

    /// The length of the file in bytes; nil if the path does not lead to the file any more.
    ///
    /// A link in the place of the file counts as none, also one to the file: the next start would refuse it.
    var length: Int64? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_dev == device, status.st_ino == inode else { return nil }
        return Int64(status.st_size)
    }
}
