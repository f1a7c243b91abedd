@_spi(Baton) import BatonOperations

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The search for the files of this host that are sent with a job.
///
/// Of a directory, everything below it is sent, but for what its `.batonignore` leaves out. A link to a file below the directory counts as
/// the file; what leads out of it, or is no file, is refused, as in what operations leave (FI2). An empty directory is not sent.
@_spi(Baton) public struct SendSearch {
    /// A directory that is sent.
    private struct Root {
        /// Its path.
        let path: String
        /// Its path without links.
        let realPath: String
        /// The parts of the path by which operations know it.
        let names: [String]
        let rules: IgnoreRules
    }

    /// The files, in the order of their paths.
    public private(set) var files: [SentSource] = []
    /// The places of the files by the bytes of their paths: texts with different bytes may be equal.
    private var places: [[UInt8]: String] = [:]
    /// The directories that were looked at.
    private var visited = 0

    /// Searches.
    ///
    /// - Parameter paths: the files and directories, as their user has given them.
    /// - Throws: ``SendError`` for files that cannot be read or sent, and if there are no files.
    public init(_ paths: [String]) throws(SendError) {
        for path in paths { try find(path) }
        guard !files.isEmpty else {
            let shown = paths.map { "\"\($0.asShown)\"" }.joined(separator: ", ")
            throw SendError(
                .unsendable,
                "There is no file to send in \(shown). Name another path, or correct \(IgnoreRules.fileName)."
            )
        }
        files.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        if let objection = SentFiles.objection(toPaths: files.map(\.path)) { throw SendError(.unsendable, objection) }
    }

    /// The parts of the path that operations see for a path of the user: all of a path below the present directory, and the last part of
    /// another one.
    static func names(of path: String) -> [String] {
        let parts = path.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
            .filter { $0 != "." }
        guard path.hasPrefix("/") || parts.contains("..") else { return parts }
        return parts.suffix(1).filter { $0 != ".." }
    }

    private mutating func find(_ path: String) throws(SendError) {
        var status = stat()
        guard !path.isEmpty, !path.utf8.contains(0), stat(path, &status) == 0 else {
            throw SendError(reading: path, path.isEmpty || path.utf8.contains(0) ? EINVAL : errno)
        }
        guard let realPath = Self.realPath(of: path) else { throw SendError(reading: path, errno) }
        let names = Self.names(of: path)
        switch status.st_mode & S_IFMT {
        case S_IFREG: try add(names, at: realPath, status)
        case S_IFDIR:
            try findAll(below: Root(path: path, realPath: realPath, names: names, rules: try Self.rules(of: path)))
        default: throw Self.special(path, status)
        }
    }

    /// Finds the files in a directory, and in the directories below it.
    private mutating func findAll(below root: Root) throws(SendError) {
        var waiting: [[String]] = [[]]
        while let folder = waiting.popLast() {
            visited += 1
            guard visited <= KeptFile.maximumCount else { throw Self.tooMany }
            let directory = Self.path(root.path, folder)
            for name in try Self.names(in: directory) {
                let names = folder + [name]
                let path = Self.path(directory, [name])
                var status = stat()
                guard lstat(path, &status) == 0 else {
                    // Somebody has removed it meanwhile.
                    if errno == ENOENT { continue }
                    throw SendError(reading: path, errno)
                }
                let isDirectory = status.st_mode & S_IFMT == S_IFDIR
                if root.rules.leavesOut(names, isDirectory: isDirectory) { continue }
                if isDirectory { waiting.append(names) } else { try take(names, at: path, status, below: root) }
            }
        }
    }

    /// Takes the file at a path, or the target of a link if it is a file below the directory.
    private mutating func take(
        _ names: [String],
        at path: String,
        _ status: stat,
        below root: Root
    ) throws(SendError) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: try add(root.names + names, at: path, status)
        case S_IFLNK:
            var target = stat()
            guard let realPath = Self.realPath(of: path), stat(path, &target) == 0 else {
                throw Self.unsendable("The link \"\(path.asShown)\" leads to nothing")
            }
            guard realPath.utf8.starts(with: root.realPath.utf8),
                root.realPath == "/" || realPath.utf8.dropFirst(root.realPath.utf8.count).first == UInt8(ascii: "/")
            else { throw Self.unsendable("The link \"\(path.asShown)\" leads out of \"\(root.path.asShown)\"") }
            switch target.st_mode & S_IFMT {
            case S_IFREG: try add(root.names + names, at: realPath, target)
            case S_IFDIR: throw Self.unsendable("\"\(path.asShown)\" is a link to a directory, and only files are sent")
            default: throw Self.special(path, target)
            }
        default: throw Self.special(path, status)
        }
    }

    private mutating func add(_ names: [String], at place: String, _ status: stat) throws(SendError) {
        let path = names.joined(separator: "/")
        // Of two paths of the user, one may be in the other.
        guard places[Array(path.utf8)] != place else { return }
        places[Array(path.utf8)] = place
        guard files.count < KeptFile.maximumCount else { throw Self.tooMany }
        let mode = UInt16(truncatingIfNeeded: status.st_mode) & KeptFile.permissions
        files.append(SentSource(path: path, place: place, size: Int64(status.st_size), mode: mode))
    }

    // MARK: - The system

    /// The rules of a directory.
    private static func rules(of directory: String) throws(SendError) -> IgnoreRules {
        let path = Self.path(directory, [IgnoreRules.fileName])
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT else { throw SendError(reading: path, errno) }
            return IgnoreRules()
        }
        guard let realPath = realPath(of: path) else { throw SendError(reading: path, errno) }
        let source = SentSource(path: IgnoreRules.fileName, place: realPath, size: Int64(status.st_size), mode: 0)
        let bytes = try SentContent(of: source).read(at: 0, atMost: IgnoreRules.maximumLength + 1)
        guard bytes.count <= IgnoreRules.maximumLength, let text = String(validating: bytes, as: UTF8.self) else {
            throw SendError(.unreadable, "\"\(path.asShown)\" is longer than 1 MiB, or not in UTF-8. Correct the file.")
        }
        return IgnoreRules(text)
    }

    /// The names in a directory, in no order.
    private static func names(in directory: String) throws(SendError) -> [String] {
        guard let stream = opendir(directory) else { throw SendError(reading: directory, errno) }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            // At the end of the names, the system leaves it as it is.
            errno = 0
            guard let entry = readdir(stream) else { break }
            let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            let name = String(decoding: bytes, as: UTF8.self)
            if name == "." || name == ".." { continue }
            guard name.utf8.elementsEqual(bytes) else {
                throw SendError(
                    .unsendable,
                    "\"\(path(directory, [name]).asShown)\" cannot be sent: its name is not in UTF-8. Rename it."
                )
            }
            names.append(name)
        }
        guard errno == 0 else { throw SendError(reading: directory, errno) }
        return names
    }

    private static func path(_ directory: String, _ names: [String]) -> String {
        let rest = names.joined(separator: "/")
        return rest.isEmpty ? directory : directory.hasSuffix("/") ? directory + rest : "\(directory)/\(rest)"
    }

    /// A path without links; nil if the file does not exist, or if the path is not in UTF-8.
    private static func realPath(of path: String) -> String? {
        guard let bytes = realpath(path, nil) else { return nil }
        defer { free(bytes) }
        return String(validatingCString: bytes)
    }

    private static var tooMany: SendError { SendError(.unsendable, SentFiles.tooMany) }

    private static func unsendable(_ event: String) -> SendError {
        SendError(.unsendable, "\(event). Remove it, or leave it out by a line of \(IgnoreRules.fileName).")
    }

    private static func special(_ path: String, _ status: stat) -> SendError {
        let what =
            switch status.st_mode & S_IFMT {
            case S_IFIFO: "a named pipe"
            case S_IFSOCK: "a socket"
            default: "a device"
            }
        return unsendable("\"\(path.asShown)\" is \(what), and only files are sent")
    }
}
