import Foundation
import Glibc
import Testing

/// A file for a worker's log.
final class LogFile: Sendable {
    private let path: String
    let descriptor: Int32

    init(_ path: String) throws {
        self.path = path
        descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
    }

    deinit { close(descriptor) }

    func text() throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    /// Waits until the log has some words, or the worker has ended.
    func await(_ words: String, of worker: RunningWorker) throws {
        let deadline = ContinuousClock.now + FakeCoordinator.patience
        while ContinuousClock.now < deadline {
            if worker.hasEnded { return }
            if try text().contains(words) { return }
            usleep(20_000)
        }
        throw Overdue()
    }
}
