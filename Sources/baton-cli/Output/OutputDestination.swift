@_spi(Baton) import BatonOperations

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Where a command writes a file for other programs: to standard output, or to a file of the user.
///
/// A file gets its name only when it is complete, so that a failed command leaves an earlier file as it was.
final class OutputDestination {
    private let path: String?
    /// The file with the new content, until it gets its name; nil for standard output, pipes and devices.
    private var temporary: String?
    private var descriptor: Int32

    /// - Parameter path: the file; nil or `-` for standard output.
    /// - Throws: ``CommandFailure`` if the file cannot be created.
    init(_ path: String?) throws(CommandFailure) {
        guard let path, path != "-" else {
            self.path = nil
            descriptor = STDOUT_FILENO
            return
        }
        try Surroundings.refuseMisplaced(path)
        var status = stat()
        let exists = stat(path, &status) == 0
        // A link stays a link.
        let target = exists ? Self.resolved(path) : path
        self.path = target
        if exists, status.st_mode & S_IFMT != S_IFREG {
            // Pipes and devices stay where they are.
            descriptor = open(target, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw Self.failure(path, errno) }
        } else {
            let name = "\(target).baton-\(getpid())"
            descriptor = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
            guard descriptor >= 0 else { throw Self.failure(path, errno) }
            temporary = name
        }
    }

    /// The path of what a path leads to over links.
    private static func resolved(_ path: String) -> String {
        guard let buffer = realpath(path, nil) else { return path }
        defer { free(buffer) }
        return String(cString: buffer)
    }

    deinit {
        // Whoever did not finish leaves nothing behind.
        if let temporary { unlink(temporary) }
        if path != nil, descriptor >= 0 { close(descriptor) }
    }

    /// Writes all bytes.
    func write(_ bytes: [UInt8]) throws {
        guard let path else { return try Output.write(bytes, to: descriptor) }
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: buffer[written...]))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure(path, count < 0 ? errno : ENOSPC) }
            written += count
        }
    }

    /// Gives the file its name.
    func finish() throws(CommandFailure) {
        guard let path else { return }
        let code = close(descriptor) == 0 ? 0 : errno
        descriptor = -1
        guard code == 0 else { throw Self.failure(path, code) }
        guard let temporary else { return }
        guard rename(temporary, path) == 0 else { throw Self.failure(path, errno) }
        self.temporary = nil
    }

    private static func failure(_ path: String, _ code: Int32) -> CommandFailure {
        CommandFailure(
            ExitStatus.ofUnwritable(code),
            code: "output",
            "The file \(path.asShown) cannot be written: \(String(cString: strerror(code))).",
            advice: "Name another file with --output."
        )
    }
}

private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawBufferPointer) -> Int {
    write(descriptor, buffer.baseAddress, buffer.count)
}
