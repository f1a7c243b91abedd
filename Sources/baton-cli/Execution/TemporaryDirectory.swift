import Synchronization

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

/// A new directory for temporary files of a command, in TMPDIR or `/tmp`.
final class TemporaryDirectory: Sendable {
    /// The path of the directory.
    let path: String
    private let isThere = Mutex(true)

    /// Creates the directory, for this user only.
    init() throws(CommandFailure) {
        let parent = try Surroundings.path("TMPDIR") ?? "/tmp"
        var template = Array("\(parent)/baton-XXXXXX".utf8CString)
        guard let path = mkdtemp(&template).map({ String(cString: $0) }) else {
            throw CommandFailure(
                ExitStatus.ofUnwritable(errno),
                code: "directory",
                "No directory can be created in \(parent): \(String(cString: strerror(errno))). Set TMPDIR to another directory."
            )
        }
        self.path = path
    }

    /// Removes the directory with its contents; a repeated call has no effect, and every call returns after the removal.
    func remove() {
        isThere.withLock { isThere in
            if isThere { try? FileManager.default.removeItem(atPath: path) }
            isThere = false
        }
    }
}
