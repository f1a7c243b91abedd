import Foundation
import Testing

/// A named pipe at which an operation waits until the test lets it go on.
///
/// An operation waits with ``wait``. Opening the pipe for writing blocks until the operation has opened it for reading, so
/// a test that has seen the ``arrival()`` knows that the operation is executing: order without time.
final class Gate: Sendable {
    /// The pipe's path.
    let path: String
    private let descriptor = Observed<Int32?>(nil)

    init(_ path: String) throws {
        self.path = path
        try #require(mkfifo(path, 0o600) == 0, "mkfifo \(path): \(String(cString: strerror(errno)))")
    }

    deinit {
        if let descriptor = descriptor.value { close(descriptor) }
    }

    /// The shell command that waits at the gate.
    ///
    /// The command misses a signal that arrives just before the shell reads.
    var wait: String { "{ read x < '\(path)' || :; }" }

    /// The shell command that reports the arrival of the operation, and goes on.
    ///
    /// A script that catches a signal goes on with ``awaitSignal``, which also notices an earlier signal.
    var checkIn: String { ": < '\(path)'" }

    /// The shell commands that run until a trap of the shell.
    static let awaitSignal = "sleep 1000 & wait"

    /// Waits until an operation is at the gate, and keeps the operation there.
    func arrival() async throws {
        guard descriptor.value == nil else { return }
        let (path, descriptor) = (path, descriptor)
        Thread.detachNewThread {
            let opened = Foundation.open(path, O_WRONLY | O_CLOEXEC)
            descriptor.update { $0 = opened }
        }
        do {
            try await descriptor.wait { $0 != nil }
        } catch {
            // A reader of this process releases the thread.
            let reader = Foundation.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            try? await descriptor.wait { $0 != nil }
            if reader >= 0 { close(reader) }
            Issue.record("nobody came to the gate \(path)")
            throw error
        }
    }

    /// Waits until an operation is at the gate, and lets it go on: its `read` finds the end of the pipe.
    func open() async throws {
        try await arrival()
        reset()
    }

    /// Forgets the arrival of an ended operation, so that another operation can arrive.
    func reset() {
        descriptor.update { descriptor in
            if let open = descriptor { close(open) }
            descriptor = nil
        }
    }
}
