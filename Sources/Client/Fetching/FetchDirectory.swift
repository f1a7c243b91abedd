@_spi(Baton) import BatonOperations
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A directory of the user's into which files of operations are fetched.
///
/// The names of the files come from operations. Nothing outside of the directory is written, whatever they are: a path is refused that
/// could lead out of it, and no link below the directory is followed.
@_spi(Baton) public final class FetchDirectory: Sendable {
    /// A file that has no name of its own yet.
    private struct Part {
        /// The directory that the file is in.
        var directory: Int32
        var name: String
    }

    private struct Parts {
        var last: UInt64 = 0
        /// The unfinished files, by their numbers.
        var open: [UInt64: Part] = [:]
    }

    /// The path, as the user has given it.
    public let path: String
    private let descriptor: Int32
    private let parts = Mutex(Parts())

    /// Opens a directory, which is made with its missing parents unless it exists.
    public init(_ path: String) throws(FetchError) {
        var end = path.startIndex
        while end < path.endIndex {
            end = path[path.index(after: end)...].firstIndex(of: "/") ?? path.endIndex
            let part = String(path[..<end])
            if mkdir(part, 0o777) == 0 { continue }
            let code = errno
            // A parent may be closed to this user, or on a read-only file system.
            var status = stat()
            guard stat(part, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
                throw FetchError(writing: part, code)
            }
        }
        let opened = systemOpen(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { throw FetchError(writing: path, errno) }
        descriptor = opened
        self.path = path
    }

    deinit { systemClose(descriptor) }

    /// Begins a file; its directories are made if they are missing.
    ///
    /// - Parameters:
    ///   - file: the path below the directory, with "/" between the parts.
    ///   - mode: the permissions, of which the process's mask takes some; other bits are left out.
    /// - Throws: ``FetchError`` for a path that could lead out of the directory, and for one through a link or a file.
    public func begin(_ file: String, mode: UInt16) throws(FetchError) -> FetchedFile {
        if let objection = KeptFile.objection(toPath: file) {
            throw FetchError(.unsafe, "The path \"\(file.asShown)\" \(objection), and is not written.")
        }
        var names = file.split(separator: "/").map { String($0) }
        let name = names.popLast() ?? ""
        let directory = try self.directory(names)
        let number = parts.withLock { parts in
            parts.last += 1
            return parts.last
        }
        let part = ".baton.\(getpid()).\(number).part"
        let permissions = mode_t(mode & KeptFile.permissions)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        var opened = openat(directory, part, flags, permissions)
        if opened < 0, errno == EEXIST {
            // Of a process with the same number that was killed.
            unlinkat(directory, part, 0)
            opened = openat(directory, part, flags, permissions)
        }
        guard opened >= 0 else {
            let code = errno
            systemClose(directory)
            throw FetchError(writing: place(of: file), code)
        }
        parts.withLock { $0.open[number] = Part(directory: directory, name: part) }
        return FetchedFile(
            place: place(of: file),
            part: part,
            name: name,
            directory: directory,
            descriptor: opened,
            onEnd: { [self] in parts.withLock { $0.open[number] = nil } }
        )
    }

    /// Removes what unfinished files have left, for a process that is about to end.
    public func removeRest() {
        parts.withLock { parts in
            for part in parts.open.values { unlinkat(part.directory, part.name, 0) }
        }
    }

    /// The path of a file, for messages.
    func place(of file: String) -> String { path.hasSuffix("/") ? path + file : "\(path)/\(file)" }

    /// Opens a directory below this one, through no link; missing ones are made.
    private func directory(_ names: [String]) throws(FetchError) -> Int32 {
        var directory = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard directory >= 0 else { throw FetchError(writing: path, errno) }
        for (index, name) in names.enumerated() {
            let next = Self.enter(name, of: directory)
            let code = errno
            systemClose(directory)
            guard next >= 0 else {
                let place = self.place(of: names[...index].joined(separator: "/"))
                guard code == ELOOP || code == ENOTDIR else { throw FetchError(writing: place, code) }
                throw FetchError(
                    .unsafe,
                    "\"\(place)\" is a link or no directory, and nothing is written through it. "
                        + "Remove it, or choose another directory.",
                    systemCode: code
                )
            }
            directory = next
        }
        return directory
    }

    private static func enter(_ name: String, of directory: Int32) -> Int32 {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        let present = openat(directory, name, flags)
        guard present < 0, errno == ENOENT else { return present }
        guard mkdirat(directory, name, 0o777) == 0 || errno == EEXIST else { return -1 }
        return openat(directory, name, flags)
    }
}

private func systemOpen(_ path: String, _ flags: Int32) -> Int32 {
    open(path, flags)
}

private func systemClose(_ descriptor: Int32) {
    close(descriptor)
}
