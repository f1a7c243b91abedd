import BatonChaosChecks
import Foundation

/// The file that operations and this tool append to, one write a line.
final class JournalFile: Sendable {
    let path: String
    private let descriptor: Int32

    init(path: String) throws {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw ChaosFailure("The journal \(path) cannot be made: \(String(cString: strerror(errno))).")
        }
    }

    deinit { close(descriptor) }

    /// Appends a line, in the order of all who write.
    func note(_ entry: JournalEntry) {
        let bytes = Array((entry.line + "\n").utf8)
        let written = write(descriptor, bytes, bytes.count)
        precondition(written == bytes.count, "The journal cannot be written; is the disk full?")
    }

    /// How many bytes there are: how far everything is.
    var length: Int {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    /// All of it.
    func text() throws -> String { try String(contentsOfFile: path, encoding: .utf8) }
}
