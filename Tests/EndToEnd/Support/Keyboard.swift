import Foundation
import Testing

/// The keyboard of a terminal on which a test runs a command.
final class Keyboard {
    /// The file that the terminal reads keys from.
    let path: String
    private let descriptor: Int32

    init(of cluster: TestCluster) throws {
        path = cluster.home.appending(path: "keys-of-terminal-\(UUID().uuidString)").path
        try #require(mkfifo(path, 0o600) == 0)
        // Open for both sides, so that neither waits for the other.
        descriptor = Foundation.open(path, O_RDWR | O_CLOEXEC)
        try #require(descriptor >= 0)
    }

    deinit { close(descriptor) }

    /// Presses keys.
    func press(_ text: String) throws {
        try #require(write(descriptor, text, text.utf8.count) == text.utf8.count)
    }
}
