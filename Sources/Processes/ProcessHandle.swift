import CBatonSpawn
import Glibc

/// A process of this user that this process has not started, named in a way that no later process can take over.
@_spi(Baton) public final class ProcessHandle: Sendable {
    /// The id of the process.
    public let processID: Int32
    private let descriptor: Int32

    /// Names a process.
    ///
    /// The id belongs to the process only while it runs: the caller makes sure afterwards that the process still runs.
    ///
    /// - Throws: ``SystemFailure`` if there is no such process.
    public init(_ processID: Int32) throws(SystemFailure) {
        descriptor = cspawn_open(processID)
        guard descriptor >= 0 else { throw SystemFailure("cannot find the process \(processID)") }
        self.processID = processID
    }

    deinit { close(descriptor) }

    /// The id of the process that started this process; nil once the process has ended.
    public var parent: Int32? {
        let text = KernelFile.text(of: "/proc/\(processID)/stat")
        guard let end = text.lastIndex(of: ")") else { return nil }
        // The name before this place may have spaces and parentheses of its own; the state and the parent follow.
        return text[end...].split(separator: " ").dropFirst(2).first.flatMap { Int32($0) }
    }

    /// Sends a signal; has no effect on an ended process.
    ///
    /// - Throws: ``SystemFailure`` if this user may not.
    public func signal(_ number: Int32) throws(SystemFailure) {
        guard cspawn_signal(descriptor, number) == 0 || errno == ESRCH else {
            throw SystemFailure("cannot send a signal to the process \(processID)")
        }
    }

    /// Blocks the calling thread until the process has ended.
    ///
    /// - Parameter deadline: the end of the wait; nil for none.
    /// - Returns: whether the process has ended.
    public func waitForEnd(until deadline: ContinuousClock.Instant?) -> Bool {
        while true {
            var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let left = deadline.map { max(.zero, $0 - .now) }
            // A call for a long time ends after an hour, and is then repeated.
            let milliseconds = left.map { min($0, .seconds(3_600)) / .milliseconds(1) }
            let count = poll(&item, 1, milliseconds.map { Int32($0.rounded(.up)) } ?? -1)
            if count > 0 { return true }
            if count == 0, left == .zero { return false }
            if count < 0, errno != EINTR { return false }
        }
    }
}
