import Glibc
import Testing

/// What another program puts in the place of a worker's file.
enum Intruder: String, CaseIterable, Sendable {
    case link, pipe

    /// Puts it at a path, where nothing is.
    ///
    /// - Parameter target: the file to which a link leads.
    func put(at path: String, target: String) throws {
        switch self {
        case .link: try #require(symlink(target, path) == 0)
        case .pipe: try #require(mkfifo(path, 0o600) == 0)
        }
    }
}
