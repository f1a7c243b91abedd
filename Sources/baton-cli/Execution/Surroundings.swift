@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The environment of the process: variables, directories, the program's own file, the host.
enum Surroundings {
    /// An environment variable; nil for an unset or empty variable.
    static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    /// The file mode creation mask of this process; nil if the system does not tell it.
    ///
    /// umask(2) tells it only by setting another one, which files of other threads would get in that moment.
    static var fileMask: FileMask? {
        guard let status = try? InputFile.bytes(of: "/proc/self/status") else { return nil }
        let label = Array("Umask:".utf8)
        guard let line = status.split(separator: UInt8(ascii: "\n")).first(where: { $0.starts(with: label) }) else {
            return nil
        }
        let digits = line.dropFirst(label.count).drop { $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: " ") }
        return FileMask(String(decoding: digits, as: UTF8.self))
    }

    /// An environment variable with a path; nil for an unset or empty variable.
    ///
    /// - Throws: ``CommandFailure`` for bytes that are no text: replacement characters would name another file.
    static func path(_ name: String) throws(CommandFailure) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        guard let path = String(validatingCString: value) else {
            throw CommandFailure(ExitStatus.usage, code: "invalidValue", ClientEnvironment.notUTF8(name).description)
        }
        return path
    }

    /// The arguments after the program's name, as the original bytes.
    static var arguments: [[UInt8]] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { position in
            CommandLine.unsafeArgv[position].map { argument in
                Array(UnsafeRawBufferPointer(start: argument, count: strlen(argument)))
            }
        }
    }

    /// The signals that this program ignores from its start on; programs that it starts get the default action.
    ///
    /// - SIGPIPE: a write to a closed pipe then fails with an error at the place of the write.
    /// - SIGXFSZ: a limit of the file size (`ulimit -f`) then fails a write, like a full disk, instead of ending the process.
    static let ignoredSignals = [SIGPIPE, SIGXFSZ]

    /// Opens closed standard descriptors on `/dev/null`.
    ///
    /// Otherwise later files and sockets would get their numbers, and a log line could end up in a file or socket. A write to
    /// the opened descriptors fails, as on a closed descriptor.
    static func fillStandardDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // The system assigns the lowest free number, and this number is the lowest.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// The environment variables for the decision about colours.
    static var coloursOnly: [String: String] {
        var variables: [String: String] = [:]
        for name in ["NO_COLOR", "TERM"] { variables[name] = variable(name) }
        return variables
    }

    /// All environment variables.
    static var environment: [String: String] { ProcessInfo.processInfo.environment }

    /// The current directory, by the links through which it was reached.
    ///
    /// - Throws: ``CommandFailure`` if the current directory no longer exists, and if its name is no text.
    static func currentDirectory() throws(CommandFailure) -> String {
        if let path = LogicalDirectory.reached() { return path }
        guard let path = getcwd(nil, 0) else {
            throw CommandFailure(
                ExitStatus.notFound,
                code: "directory",
                "The current directory no longer exists. Change to another directory."
            )
        }
        defer { free(path) }
        guard let text = String(validatingCString: path) else {
            throw CommandFailure(
                ExitStatus.usage,
                code: "invalidValue",
                "The name of the current directory is not valid UTF-8, and cannot be passed on unchanged.",
                advice: "Change to another directory."
            )
        }
        return text
    }

    /// An absolute path; a relative path is resolved against the current directory.
    ///
    /// - Throws: ``CommandFailure`` also for a path that only a shell could fill.
    static func absolutePath(_ path: String) throws(CommandFailure) -> String {
        try refuseMisplaced(path)
        if path.hasPrefix("/") { return path }
        let directory = try currentDirectory()
        return directory.hasSuffix("/") ? directory + path : directory + "/" + path
    }

    /// Refuses a path of the command's own that its user cannot mean.
    static func refuseMisplaced(_ path: String) throws(CommandFailure) {
        guard let objection = OptionForm.objection(toOwnPath: path) else { return }
        throw CommandFailure(ExitStatus.usage, code: "invalidValue", "The path \(objection).")
    }

    /// Creates a directory and all missing parents, for this user only.
    static func makeDirectory(_ path: String) throws(CommandFailure) {
        var end = path.startIndex
        while end < path.endIndex {
            end = path[path.index(after: end)...].firstIndex(of: "/") ?? path.endIndex
            if mkdir(String(path[..<end]), 0o700) != 0, errno != EEXIST {
                let code = errno
                // A parent directory may exist and be closed to this user, or be on a read-only file system.
                var status = stat()
                if stat(String(path[..<end]), &status) == 0 { continue }
                if code == ENOSPC || code == EDQUOT {
                    throw CommandFailure(
                        ExitStatus.fault,
                        code: "noRoom",
                        "The directory \(path) cannot be created: \(String(cString: strerror(code))).",
                        advice: "Make room there, and repeat the command."
                    )
                }
                throw CommandFailure(
                    ExitStatus.ofUnwritable(code),
                    code: "directory",
                    "The directory \(path) cannot be created: \(String(cString: strerror(code))).",
                    advice: "Name another directory with --home or BATON_HOME."
                )
            }
        }
    }

    /// The file of the running program.
    static var ownProgram: String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        // After an upgrade, the link's text ends with this suffix; the link itself still leads to the old file.
        let path = count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : CommandLine.arguments[0]
        return path.hasSuffix(" (deleted)") ? "/proc/self/exe" : path
    }

    /// The host's name.
    static var hostName: String {
        // The last byte stays zero, so that the name always has a terminator.
        var buffer = [CChar](repeating: 0, count: 256)
        let code = gethostname(&buffer, buffer.count - 1)
        let name = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return code == 0 && !name.isEmpty ? name : "localhost"
    }
}
