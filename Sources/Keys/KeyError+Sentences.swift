@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonZeroMQ

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension KeyError {
    /// A file that users other than the owner may read or change.
    static func exposed(_ path: String, mode: UInt32) -> KeyError {
        KeyError(
            .exposed,
            "The key file \(path) can be read or changed by other users (mode \(octal(mode))).",
            path: path,
            mode: mode
        )
    }

    /// A certificate's key that all users may read, or that a group may change.
    static func exposedToAll(_ path: String, mode: UInt32) -> KeyError {
        KeyError(
            .exposedToAll,
            "The key file \(path) of HTTPS can be read by all users, or changed by other users (mode \(octal(mode))).",
            path: path,
            mode: mode
        )
    }

    /// A directory that users other than the owner may list or change.
    static func exposedDirectory(_ path: String, mode: UInt32) -> KeyError {
        KeyError(
            .exposed,
            "The key directory \(path) is open to other users (mode \(octal(mode))).",
            path: path,
            mode: mode
        )
    }

    /// A file that a container's secrets mount lets others change.
    static func changeable(_ path: String, mode: UInt32) -> KeyError {
        KeyError(
            .changeable,
            "The key file \(path) can be changed by other users (mode \(octal(mode))).",
            path: path,
            mode: mode
        )
    }

    /// A file or directory of another user.
    static func foreign(_ path: String, owner: UInt32, mode: UInt32) -> KeyError {
        KeyError(
            .foreign,
            "\(path) belongs to user \(owner), not to user \(geteuid()) of this process (mode \(octal(mode))).",
            path: path,
            mode: mode
        )
    }

    /// A failed system call on a file.
    static func notAccessible(_ path: String, _ doing: String, code: Int32 = errno) -> KeyError {
        let why = strerror(code).map { String(cString: $0) } ?? "error \(code)"
        let isFull = code == ENOSPC || code == EDQUOT
        return KeyError(
            isFull ? .noRoom : .notAccessible,
            "Cannot \(doing) \(path): \(why).",
            path: path,
            mayPass: SystemObstacle.mayPass(code)
        )
    }

    /// A directory that cannot be watched because the user has no watch left; see inotify(7), `max_user_instances`.
    static func noWatchLeft(_ path: String) -> KeyError {
        KeyError(
            .noWatchLeft,
            "Cannot watch \(path): the processes of this user watch as many directories as the system allows.",
            path: path
        )
    }

    /// A line of a file that cannot be understood.
    static func malformed(_ path: String, line: Int, _ what: String) -> KeyError {
        KeyError(.malformed, "Line \(line) of \(path) cannot be read: \(what).", path: path, line: line)
    }

    /// A file that cannot be understood as a whole.
    static func malformed(_ path: String, _ what: String) -> KeyError {
        KeyError(.malformed, "The key file \(path) cannot be read: \(what).", path: path)
    }

    /// Addresses that were given as those of one cluster, and whose coordinators have different keys.
    static func ofDifferentClusters(_ first: ServerAddress, _ second: ServerAddress, in path: String) -> KeyError {
        KeyError(
            .ambiguous,
            "The addresses \(first) and \(second) belong to coordinators with different keys. Coordinators that stand in for each other "
                + "share one key pair: name addresses of one cluster.",
            path: path
        )
    }

    /// libzmq refused to compute a key.
    init(_ error: ZeroMQError) {
        self.init(.unsupported, "libzmq cannot make keys on this host: \(error)")
    }

    private static func octal(_ mode: UInt32) -> String {
        let digits = String(mode, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
