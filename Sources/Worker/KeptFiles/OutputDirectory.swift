@_spi(Baton) import BatonOperations

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The directory of an attempt, in which no file is reached through a link that leads out (FI2).
///
/// The processes of the attempt have ended, but other processes may change the directory at any time: each directory on the way is opened
/// by its own name, and no link is followed except by ``resolve(_:)``, which looks where it leads.
final class OutputDirectory {
    /// The most links on the way to a file, as the kernel follows.
    private static let mostLinks = 40

    private let root: Int32
    /// The path, for errors about the directory itself.
    private let givenPath: String
    /// The path without links, which absolute links begin with; nil if it is unknown.
    private let path: String?

    /// Opens the directory.
    init(_ path: String) throws(UnkeptFiles) {
        givenPath = path
        root = openDescriptor(path, O_RDONLY | O_DIRECTORY)
        guard root >= 0 else {
            throw UnkeptFiles(atOperation: FileFailure("Cannot open the operation's directory", path))
        }
        self.path = realPath(of: path)
    }

    deinit { closeDescriptor(root) }

    /// The kind of file at a place.
    enum Entry {
        case missing
        case directory
        case file(size: UInt64)
        case link
        /// A named pipe, a socket or a device, in words.
        case special(String)
    }

    /// The path of a place below the directory, for errors: as the outputs name it, without what comes before the directory.
    func shown(_ parts: [String]) -> String { parts.isEmpty ? givenPath : parts.joined(separator: "/") }

    /// Opens a directory below, by its names; the caller closes the descriptor.
    func open(_ parts: [String]) throws(UnkeptFiles) -> Int32 {
        var current = openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        for (number, part) in parts.enumerated() where current >= 0 {
            let next = openat(current, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            let code = errno
            closeDescriptor(current)
            current = next
            guard next >= 0 else {
                let place = shown(Array(parts[...number]))
                throw UnkeptFiles(atOperation: FileFailure("Cannot open the directory", place, code: code))
            }
        }
        guard current >= 0 else {
            throw UnkeptFiles(atOperation: FileFailure("Cannot open the directory", shown(parts)))
        }
        return current
    }

    /// Looks at an entry of an open directory.
    ///
    /// - Parameter parts: the place of the entry, for errors.
    func entry(_ name: String, in directory: Int32, at parts: @autoclosure () -> [String]) throws(UnkeptFiles) -> Entry
    {
        var status = stat()
        guard fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT || errno == ENAMETOOLONG { return .missing }
            throw UnkeptFiles(atOperation: FileFailure("Cannot look at the file", shown(parts())))
        }
        return switch status.st_mode & S_IFMT {
        case S_IFREG: .file(size: UInt64(clamping: status.st_size))
        case S_IFDIR: .directory
        case S_IFLNK: .link
        case S_IFIFO: .special("a named pipe")
        case S_IFSOCK: .special("a socket")
        default: .special("a device")
        }
    }

    /// The names in an open directory that are wanted, in no order.
    ///
    /// - Parameters:
    ///   - parts: the place of the directory, for errors.
    ///   - most: the most names, before which the search gives up.
    ///   - isWanted: whether a name is wanted.
    /// - Throws: ``UnkeptFiles`` for a wanted name that is not UTF-8, and for too many.
    func names(
        in directory: Int32,
        at parts: [String],
        atMost most: Int,
        _ isWanted: (String) -> Bool
    ) throws(UnkeptFiles) -> [String] {
        let copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0, let stream = fdopendir(copy) else {
            let failure = FileFailure("Cannot read the directory", shown(parts))
            if copy >= 0 { closeDescriptor(copy) }
            throw UnkeptFiles(atOperation: failure)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            // At the end of the names, the system leaves it as it is.
            errno = 0
            guard let entry = readdir(stream) else { break }
            let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            let name = String(decoding: bytes, as: UTF8.self)
            if name == "." || name == ".." || !isWanted(name) { continue }
            guard name.utf8.elementsEqual(bytes) else {
                throw UnkeptFiles(
                    "The file \"\(shown(parts + [name]).asShown)\" cannot be kept: its name is not UTF-8. Rename it."
                )
            }
            guard names.count < most else { throw .tooMany }
            names.append(name)
        }
        guard errno == 0 else { throw UnkeptFiles(atOperation: FileFailure("Cannot read the directory", shown(parts))) }
        return names
    }

    /// Follows links from a place to their target, as long as they stay below the directory.
    ///
    /// - Returns: the place without a link on the way; it may be missing.
    /// - Throws: ``UnkeptFiles`` if a link leads out of the directory, or leads nowhere for ever.
    func resolve(_ parts: [String]) throws(UnkeptFiles) -> [String] {
        var rest = parts[...]
        var done: [String] = []
        var links = 0
        while let part = rest.popFirst() {
            if part == "." || part.isEmpty { continue }
            if part == ".." {
                guard done.popLast() != nil else { throw leadsOut(parts) }
                continue
            }
            guard let target = try readLink(part, in: done) else {
                done.append(part)
                continue
            }
            links += 1
            guard links <= Self.mostLinks else {
                throw UnkeptFiles("The link \"\(shown(parts).asShown)\" leads to itself. Remove it.")
            }
            var way = target.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
            if target.utf8.first == UInt8(ascii: "/") {
                let start = path?.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
                guard let start, way.starts(with: start, by: { $0.hasSameBytes(as: $1) }) else { throw leadsOut(parts) }
                way.removeFirst(start.count)
                done = []
            }
            rest = (way + rest)[...]
        }
        return done
    }

    /// Reads a link; nil if there is no link, or nothing.
    private func readLink(_ name: String, in parts: [String]) throws(UnkeptFiles) -> String? {
        let directory: Int32
        do throws(UnkeptFiles) {
            directory = try open(parts)
        } catch {
            // A file may be in the place of a directory: then the link leads to nothing.
            return nil
        }
        defer { closeDescriptor(directory) }
        var text = [CChar](repeating: 0, count: KeptFile.maximumPathLength + 1)
        let count = readlinkat(directory, name, &text, text.count - 1)
        guard count >= 0 else { return nil }
        let bytes = text.prefix(count).map { UInt8(bitPattern: $0) }
        let target = String(decoding: bytes, as: UTF8.self)
        guard target.utf8.elementsEqual(bytes) else {
            throw UnkeptFiles(
                "The link \"\(shown(parts + [name]).asShown)\" cannot be kept: it leads to a name that is not UTF-8."
            )
        }
        return target
    }

    private func leadsOut(_ parts: [String]) -> UnkeptFiles {
        UnkeptFiles(
            "The link \"\(shown(parts).asShown)\" leads out of the operation's directory, and is not kept. "
                + "Have the operation copy the file into its directory."
        )
    }

    /// Opens an ordinary file to be read, by its place without links; the caller closes the descriptor.
    ///
    /// - Parameter directory: the open directory of the file.
    func openFile(_ parts: [String], in directory: Int32) throws(UnkeptFiles) -> Int32 {
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let descriptor = openat(directory, parts.last ?? ".", flags)
        guard descriptor >= 0 else { throw UnkeptFiles(atOperation: FileFailure("Cannot read the file", shown(parts))) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            closeDescriptor(descriptor)
            throw UnkeptFiles(
                "The file \"\(shown(parts).asShown)\" was replaced while the worker kept it. Let no other program write there."
            )
        }
        return descriptor
    }
}

extension UnkeptFiles {
    /// There are more files, or directories to be searched, than an operation may leave.
    static var tooMany: UnkeptFiles {
        UnkeptFiles(
            "The operation left more than \(KeptFile.maximumCount) files or directories that its outputs name. Pack them into an archive."
        )
    }
}

/// The path of a directory without links; nil if it has none, or is not UTF-8.
private func realPath(of path: String) -> String? {
    guard let bytes = realpath(path, nil) else { return nil }
    defer { free(bytes) }
    return String(validatingCString: bytes)
}
