public import Glibc

/// The address of a local socket at a path of any length.
///
/// The system's addresses end after 107 bytes; a longer path is named by its open directory instead.
@_spi(Baton) public enum LocalAddress {
    /// Calls a body with the address.
    ///
    /// - Returns: what the body returns, or -1 with the reason in errno if the path cannot be named.
    public static func with(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        if let result = withShort(path, body) { return result }
        guard let slash = path.lastIndex(of: "/") else {
            errno = ENAMETOOLONG
            return -1
        }
        let directory = open(String(path[...slash]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return -1 }
        defer {
            let code = errno
            close(directory)
            errno = code
        }
        if let result = withShort("/proc/self/fd/\(directory)\(path[slash...])", body) { return result }
        errno = ENAMETOOLONG
        return -1
    }

    /// Calls a body with the address of a path; nil if the path is too long.
    private static func withShort(
        _ path: String,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                body(pointer, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
