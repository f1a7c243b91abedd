#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The removal of files and directories with all that is below them, of any permissions and depth.
enum FileTree {
    /// The directories that are open at once, one below the other; deeper ones are moved up first.
    private static let mostOpen = 8

    /// Removes the file or directory at a path, and follows no link.
    ///
    /// Files of other users, which cannot be removed, stay.
    static func remove(_ path: String) {
        if unlink(path) == 0 || errno == ENOENT { return }
        // A directory of inputs cannot be written, and an operation may have left any permissions.
        chmod(path, 0o700)
        let root = openDescriptor(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        guard root >= 0 else { return }
        var moved = 0
        // A pass that has moved directories to the top has left them there.
        while true {
            let before = moved
            empty(root, below: root, depth: 1, &moved)
            if moved == before { break }
        }
        closeDescriptor(root)
        rmdir(path)
    }

    /// Removes all that is in a directory; directories that are too deep are moved to the top instead, and counted.
    private static func empty(_ directory: Int32, below root: Int32, depth: Int, _ moved: inout Int) {
        while true {
            guard let stream = openStream(directory) else { return }
            var removed = 0
            while let entry = readdir(stream) {
                let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) + [0] }
                if name == [UInt8(ascii: "."), 0] || name == [UInt8(ascii: "."), UInt8(ascii: "."), 0] { continue }
                if remove(name.map { CChar(bitPattern: $0) }, in: directory, below: root, depth: depth, &moved) {
                    removed += 1
                }
            }
            closedir(stream)
            // Some file systems leave out names while others are removed.
            if removed == 0 { return }
        }
    }

    /// Removes an entry of a directory.
    ///
    /// - Returns: whether it is no longer there.
    private static func remove(
        _ name: [CChar],
        in directory: Int32,
        below root: Int32,
        depth: Int,
        _ moved: inout Int
    ) -> Bool {
        if unlinkat(directory, name, 0) == 0 { return true }
        guard errno == EISDIR || errno == EPERM else { return false }
        fchmodat(directory, name, 0o700, 0)
        if unlinkat(directory, name, AT_REMOVEDIR) == 0 { return true }
        if depth >= mostOpen {
            guard renameat(directory, name, root, ".removed-\(moved)") == 0 else { return false }
            moved += 1
            return true
        }
        let child = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard child >= 0 else { return false }
        empty(child, below: root, depth: depth + 1, &moved)
        closeDescriptor(child)
        return unlinkat(directory, name, AT_REMOVEDIR) == 0
    }

    /// Opens the entries of a directory from their beginning, with a descriptor of their own.
    private static func openStream(_ directory: Int32) -> OpaquePointer? {
        let descriptor = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        guard let stream = fdopendir(descriptor) else {
            closeDescriptor(descriptor)
            return nil
        }
        return stream
    }
}
