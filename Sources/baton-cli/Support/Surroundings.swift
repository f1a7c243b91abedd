import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What the process finds around it: variables, directories, its own program, the host.
enum Surroundings {
    /// A variable of the environment; nil where it is unset or empty.
    static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    /// What stands on the command line after the program's name, in the bytes in which it came.
    static var arguments: [[UInt8]] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { position in
            CommandLine.unsafeArgv[position].map { argument in
                Array(UnsafeRawBufferPointer(start: argument, count: strlen(argument)))
            }
        }
    }

    /// Opens the standard descriptors that are closed, on nothing.
    ///
    /// Otherwise the next files and sockets would get their numbers, and a log line might be written into one of them.
    /// What is written to them fails, as it would have.
    static func fillStandardDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is given, which is this one.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// The variables that decide about colours.
    static var coloursOnly: [String: String] {
        var variables: [String: String] = [:]
        for name in ["NO_COLOR", "TERM"] { variables[name] = variable(name) }
        return variables
    }

    /// The directory of the state where nothing else is said, after the XDG base directory specification.
    static var defaultHome: String {
        if let state = variable("XDG_STATE_HOME"), state.hasPrefix("/") { return state + "/baton" }
        return (variable("HOME") ?? "/tmp") + "/.local/state/baton"
    }

    /// The current directory.
    ///
    /// - Throws: ``CommandFailure`` where it does not exist any more.
    static func currentDirectory() throws(CommandFailure) -> String {
        guard let path = getcwd(nil, 0) else {
            throw CommandFailure(
                ExitStatus.notFound,
                code: "directory",
                "The current directory does not exist any more. Change to another one."
            )
        }
        defer { free(path) }
        return String(cString: path)
    }

    /// A path as seen from the current directory, made absolute.
    static func absolutePath(_ path: String) throws(CommandFailure) -> String {
        if path.hasPrefix("/") { return path }
        let directory = try currentDirectory()
        return directory.hasSuffix("/") ? directory + path : directory + "/" + path
    }

    /// Makes a directory and those above it, for this user alone.
    static func makeDirectory(_ path: String) throws(CommandFailure) {
        var end = path.startIndex
        while end < path.endIndex {
            end = path[path.index(after: end)...].firstIndex(of: "/") ?? path.endIndex
            if mkdir(String(path[..<end]), 0o700) != 0, errno != EEXIST {
                let code = errno
                // A directory above may exist and be closed to this user, or lie on a read-only file system.
                var status = stat()
                if stat(String(path[..<end]), &status) == 0 { continue }
                throw CommandFailure(
                    code == EACCES || code == EPERM || code == EROFS ? ExitStatus.notAllowed : ExitStatus.notFound,
                    code: "directory",
                    "The directory \(path) cannot be made: \(String(cString: strerror(code))). "
                        + "Name another with --home or BATON_HOME."
                )
            }
        }
    }

    /// The file of the program that runs.
    static var ownProgram: String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        // After an upgrade the file's old name ends so; the link itself still leads to it.
        let path = count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : CommandLine.arguments[0]
        return path.hasSuffix(" (deleted)") ? "/proc/self/exe" : path
    }

    /// The host's name.
    static var hostName: String {
        // One byte more than is filled, so that there is always an end.
        var buffer = [CChar](repeating: 0, count: 256)
        let code = gethostname(&buffer, buffer.count - 1)
        let name = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return code == 0 && !name.isEmpty ? name : "localhost"
    }

    /// How many processors this process may use.
    static var processorCount: Int {
        max(1, ProcessInfo.processInfo.activeProcessorCount)
    }
}
