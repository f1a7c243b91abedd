import Synchronization

/// What has happened, in order, from any number of threads.
final class Journal: Sendable {
    private let lines = Mutex<[String]>([])

    /// All lines.
    var all: [String] { lines.withLock { $0 } }

    func note(_ line: String) { lines.withLock { $0.append(line) } }
}
