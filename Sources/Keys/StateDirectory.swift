#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The directory of a user's state: the record, the keys and the outputs of workers.
@_spi(Baton) public enum StateDirectory {
    /// The directory that an environment names: `BATON_HOME`, else `baton` in the state directory of the XDG base directory
    /// specification.
    ///
    /// An empty variable counts as a missing one, and so does a relative `XDG_STATE_HOME`, as the specification says. Without
    /// `HOME`, the home directory is that of the user's account, and `/` for a user without an account: never a directory such as
    /// `/tmp`, in which another user could put a record and keys first.
    public static func path(in environment: [String: String]) -> String {
        if let home = environment["BATON_HOME"], !home.isEmpty { return home }
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return state + "/baton" }
        let home = environment["HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? accountHome ?? "/"
        return (home == "/" ? "" : home) + "/.local/state/baton"
    }

    /// The home directory of the effective user's account; nil without an account (`getpwuid_r(3)`).
    static var accountHome: String? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 1 << 14)
        guard getpwuid_r(geteuid(), &entry, &buffer, buffer.count, &found) == 0, found != nil, let home = entry.pw_dir
        else { return nil }
        let path = String(cString: home)
        return path.hasPrefix("/") ? path : nil
    }
}
