#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An open directory of secrets, whose files only its owner may read.
///
/// All files are opened below the directory's descriptor, so that a renamed directory cannot mix two directories.
struct KeyFolder: ~Copyable {
    let path: String
    private let descriptor: Int32

    /// The most bytes of a file that is read.
    static let maximumSize = 16 << 20

    /// Opens a directory; nil if it does not exist.
    ///
    /// - Throws: `KeyError` if the directory cannot be opened, belongs to another user or is open to others.
    init?(existing path: String) throws(KeyError) {
        guard !path.utf8.contains(0) else { throw .notAccessible(path, "open", code: EINVAL) }
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .notAccessible(path, "open")
        }
        if let error = Self.objection(to: descriptor, path) {
            close(descriptor)
            throw error
        }
        self.path = path
        self.descriptor = descriptor
    }

    /// Opens a directory, made with mode 0700 if it does not exist, as are the directories above it.
    static func made(at path: String) throws(KeyError) -> KeyFolder {
        try makeDirectory(path)
        guard let folder = try KeyFolder(existing: path) else { throw .notAccessible(path, "open", code: ENOENT) }
        return folder
    }

    deinit { close(descriptor) }

    /// The path of a file, for errors.
    func path(of name: String) -> String { "\(path)/\(name)" }

    /// Reads a file; nil if it does not exist.
    ///
    /// - Throws: `KeyError` if the file cannot be read, belongs to another user, is open to others, or is no ordinary
    ///   file.
    func read(_ name: String) throws(KeyError) -> [UInt8]? {
        let file = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw .notAccessible(path(of: name), "open")
        }
        defer { close(file) }
        return try KeyFile.content(of: file, path: path(of: name), rule: .own)
    }

    /// Replaces a file: after a crash, the file has its old or its new content, whole.
    ///
    /// Only the holder of the folder's lock may call it.
    func write(_ name: String, _ bytes: [UInt8]) throws(KeyError) {
        let temporary = ".\(name).new"
        unlinkat(descriptor, temporary, 0)
        let file = openat(descriptor, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .notAccessible(path(of: temporary), "create") }
        let failure = KeyFile.write(bytes, to: file)
        close(file)
        guard failure == 0, renameat(descriptor, temporary, descriptor, name) == 0 else {
            let code = failure == 0 ? errno : failure
            unlinkat(descriptor, temporary, 0)
            throw .notAccessible(path(of: name), "write", code: code)
        }
        guard fsync(descriptor) == 0 else { throw .notAccessible(path, "write") }
    }

    /// Removes a file, which may be missing.
    func remove(_ name: String) throws(KeyError) {
        guard unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else {
            throw .notAccessible(path(of: name), "remove")
        }
    }

    /// The names of the files, in no order.
    func names() throws(KeyError) -> [String] {
        guard let stream = opendir(path) else { throw .notAccessible(path, "list") }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    /// Opens a file for a lock, made if it does not exist.
    ///
    /// - Throws: `KeyError` if the file cannot be opened, or is a link or no ordinary file.
    func openLock(_ name: String) throws(KeyError) -> Int32 {
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        let file = openat(descriptor, name, flags, 0o600)
        let obstacle = "it is a link, or no ordinary file. Remove it"
        guard file >= 0 else {
            throw errno == ELOOP ? .malformed(path(of: name), obstacle) : .notAccessible(path(of: name), "open")
        }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            throw .malformed(path(of: name), obstacle)
        }
        return file
    }

    private static func objection(to descriptor: Int32, _ path: String) -> KeyError? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return .notAccessible(path, "examine") }
        let mode = UInt32(status.st_mode) & 0o7777
        guard status.st_uid == geteuid() else { return .foreign(path, owner: status.st_uid, mode: mode) }
        return mode & 0o077 == 0 ? nil : .exposedDirectory(path, mode: mode)
    }

    private static func makeDirectory(_ path: String) throws(KeyError) {
        guard !path.utf8.contains(0) else { throw .notAccessible(path, "create", code: EINVAL) }
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        let code = errno
        guard code == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
            throw .notAccessible(path, "create", code: code)
        }
        try makeDirectory(String(path[..<slash]))
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .notAccessible(path, "create") }
    }
}
