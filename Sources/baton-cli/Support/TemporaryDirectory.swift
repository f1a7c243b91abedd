import Foundation
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A new directory for what is not to outlive a command, in TMPDIR or `/tmp`.
final class TemporaryDirectory: Sendable {
    /// Where it is.
    let path: String
    private let isThere = Mutex(true)

    /// Makes it, for this user alone.
    init() throws(CommandFailure) {
        let parent = Surroundings.variable("TMPDIR") ?? "/tmp"
        var template = Array("\(parent)/baton-XXXXXX".utf8CString)
        guard let path = mkdtemp(&template).map({ String(cString: $0) }) else {
            throw CommandFailure(
                ExitStatus.notAllowed,
                code: "directory",
                "No directory can be made in \(parent): \(String(cString: strerror(errno))). Name another with TMPDIR."
            )
        }
        self.path = path
    }

    /// Removes it with all that is in it; twice is once, and the second caller, too, returns only once it is gone.
    func remove() {
        isThere.withLock { isThere in
            if isThere { try? FileManager.default.removeItem(atPath: path) }
            isThere = false
        }
    }
}
