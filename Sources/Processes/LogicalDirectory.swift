import Glibc

/// Paths of directories as a shell's `PWD` has them: with the symbolic links through which they were reached.
@_spi(Baton) public enum LogicalDirectory {
    /// The name of the variable with the path.
    public static let variable = "PWD"

    /// The path of this process's directory; nil if the directory has been removed, and if its path is not UTF-8.
    ///
    /// `PWD` counts if it names the directory; otherwise the path has no symbolic links.
    public static func current() -> String? { reached() ?? resolved(".") }

    /// The path of this process's directory by its own `PWD`; nil if `PWD` names no or another directory, or is no text.
    public static func reached() -> String? {
        guard let bytes = getenv(variable), let path = String(validatingCString: bytes), path.hasPrefix("/"),
            isPlain(path)
        else { return nil }
        var (named, present) = (stat(), stat())
        guard stat(path, &named) == 0, stat(".", &present) == 0, named.st_dev == present.st_dev,
            named.st_ino == present.st_ino
        else { return nil }
        return path
    }

    /// The path of the directory that a process enters by a path.
    ///
    /// - Parameters:
    ///   - path: the path that chdir(2) gets; nil for the directory where it starts.
    ///   - start: where a relative path starts.
    /// - Returns: an absolute path without the parts `.` and `..`; nil if there is none.
    public static func path(entering path: String?, from start: String?) -> String? {
        guard let path else { return start }
        guard let whole = path.hasPrefix("/") ? path : start.map({ $0 + "/" + path }) else { return nil }
        // Behind a link, the parent is not the part before it.
        if parts(of: whole).contains("..") { return resolved(whole) }
        return "/" + parts(of: whole).filter { $0 != "." }.joined(separator: "/")
    }

    /// Whether the path that a process enters depends on symbolic links, which may change.
    ///
    /// - Parameters:
    ///   - path: the path that chdir(2) gets; nil for the directory where it starts.
    ///   - start: where a relative path starts.
    public static func dependsOnLinks(entering path: String?, from start: String?) -> Bool {
        guard let path else { return false }
        let whole = path.hasPrefix("/") ? path : (start ?? "") + "/" + path
        return parts(of: whole).contains("..")
    }

    /// The path of a directory without symbolic links; nil if it cannot be found.
    private static func resolved(_ path: String) -> String? {
        guard let bytes = realpath(path, nil) else { return nil }
        defer { free(bytes) }
        return String(validatingCString: bytes)
    }

    /// Whether a path has no part that a shell's `PWD` never has.
    public static func isPlain(_ path: String) -> Bool {
        !parts(of: path).contains { $0 == "." || $0 == ".." }
    }

    private static func parts(of path: String) -> [Substring] { path.split(separator: "/") }
}
