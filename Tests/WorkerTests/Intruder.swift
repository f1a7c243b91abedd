import Foundation
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

    /// Puts it in the place of a file, with a reader and a writer of a pipe, so that no open(2) of the pipe waits.
    ///
    /// - Returns: a closure that ends the reader and the writer.
    func replace(_ path: String, target: String) throws -> () -> Void {
        try? FileManager.default.removeItem(atPath: path)
        try put(at: path, target: target)
        guard self == .pipe else { return {} }
        let holder = open(path, O_RDWR | O_CLOEXEC)
        try #require(holder >= 0)
        return { close(holder) }
    }
}
