@_spi(Baton) import BatonChaosChecks
import Foundation

/// The journal file, with one write for each line of the operations and of this tool.
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

    /// Appends a line, in the order of all writers.
    func note(_ entry: JournalEntry) {
        let bytes = Array((entry.line + "\n").utf8)
        let written = write(descriptor, bytes, bytes.count)
        precondition(written == bytes.count, "The journal cannot be written; is the disk full?")
    }

    /// The number of bytes, as a measure of progress.
    var length: Int {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    /// The complete text.
    func text() throws -> String { try String(contentsOfFile: path, encoding: .utf8) }
}
