#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A directory of the user's for files with what a command prints otherwise.
struct OutputDirectory {
    /// The path, as the user has given it.
    let path: String

    /// Makes the directory and all missing parents, unless they exist.
    func make() throws(CommandFailure) {
        var end = path.startIndex
        while end < path.endIndex {
            end = path[path.index(after: end)...].firstIndex(of: "/") ?? path.endIndex
            let part = String(path[..<end])
            if mkdir(part, 0o777) == 0 { continue }
            let code = errno
            var status = stat()
            guard stat(part, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { throw failure(part, code) }
        }
    }

    /// Writes a file, whole or not at all; a file of the same name is replaced.
    ///
    /// - Parameter name: the name of the file in the directory.
    func write(_ bytes: [UInt8], as name: String) throws {
        let file = "\(path)/\(name)"
        let partial = "\(path)/.baton.\(getpid()).partial"
        let descriptor = open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw failure(file, errno) }
        do {
            try Output.write(bytes, to: descriptor)
        } catch {
            close(descriptor)
            unlink(partial)
            throw error
        }
        guard close(descriptor) == 0, rename(partial, file) == 0 else {
            let code = errno
            unlink(partial)
            throw failure(file, code)
        }
    }

    private func failure(_ file: String, _ code: Int32) -> CommandFailure {
        CommandFailure(
            ExitStatus.ofUnwritable(code),
            code: "output",
            "\(file.printable) cannot be written: \(String(cString: strerror(code))).",
            advice: "Name another directory with --output."
        )
    }
}
