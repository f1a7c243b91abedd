#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Reading and writing of files with secrets, by open descriptors.
enum KeyFile {
    /// Which owners and modes a file may have.
    enum Rule {
        /// The user of the process owns the file, and nobody else has any access.
        case own
        /// The same; a process of root may also use the private file of another user.
        case given
        /// The key of a certificate, which often belongs to root and to a group: whoever owns it, the group may read it, and others
        /// have no access.
        case shared
        /// A container's mount of secrets: anybody may own and read the file, and nobody but the owner may change it.
        case mounted
    }

    /// Reads an open file whole.
    ///
    /// - Throws: `KeyError` if the owner, the mode, the type or the size of the file is not allowed, or reading fails.
    static func content(of descriptor: Int32, path: String, rule: Rule) throws(KeyError) -> [UInt8] {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .notAccessible(path, "examine") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .malformed(path, "it is not an ordinary file") }
        try check(owner: status.st_uid, mode: UInt32(status.st_mode) & 0o7777, path: path, rule: rule)
        guard status.st_size <= KeyFolder.maximumSize else { throw .malformed(path, "it is too long") }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .notAccessible(path, "read") }
            guard count > 0 else { return bytes }
            bytes.append(contentsOf: buffer.prefix(count))
            guard bytes.count <= KeyFolder.maximumSize else { throw .malformed(path, "it is too long") }
        }
    }

    /// Writes the content of a new file and waits until the disk has it; returns 0 or the errno.
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        // The process may have a stricter mask than the file needs.
        guard fchmod(descriptor, 0o600) == 0 else { return errno }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count < 0 ? errno : EIO }
            rest = rest.dropFirst(count)
        }
        return fsync(descriptor) == 0 ? 0 : errno
    }

    /// Whether a file is on a container's mount of secrets, by its real path.
    static func isMounted(_ path: String) -> Bool {
        guard let real = realpath(path, nil) else { return false }
        defer { free(real) }
        return String(cString: real).hasPrefix("/run/secrets/")
    }

    private static func check(owner: UInt32, mode: UInt32, path: String, rule: Rule) throws(KeyError) {
        switch rule {
        case .mounted:
            guard mode & 0o022 == 0 else { throw .changeable(path, mode: mode) }
            return
        case .shared:
            guard mode & 0o027 == 0 else { throw .exposedToAll(path, mode: mode) }
            return
        case .own, .given: break
        }
        let mayBeOfOthers = if case .given = rule { geteuid() == 0 } else { false }
        guard owner == geteuid() || mayBeOfOthers else { throw .foreign(path, owner: owner, mode: mode) }
        guard mode & 0o077 == 0 else { throw .exposed(path, mode: mode) }
    }
}

/// write(2), whose name the caller's own function hides.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
