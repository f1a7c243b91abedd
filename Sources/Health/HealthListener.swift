@_spi(Baton) public import BatonDocuments
import Glibc

/// Lets commands of the same user ask a process for its health, over a local socket.
///
/// The thread that does the process's work owns the listener and answers, so that an answer proves that this thread goes
/// on. Nobody listens once the process has ended in any way: the file that is left says nothing.
@_spi(Baton) public final class HealthListener {
    /// Readable while somebody asks; for a poller, which must drop it before the listener ends.
    public let descriptor: Int32

    /// The most commands that ask at once; another one finds the process too busy.
    private static let mostWaiting: Int32 = 64

    /// Starts to listen, in place of an earlier process.
    ///
    /// - Parameter path: the file of the socket. The caller holds a lock that keeps other processes from listening there.
    /// - Throws: ``HealthFailure`` if the file cannot be made.
    public init(at path: String) throws(HealthFailure) {
        let descriptor = socket(
            AF_UNIX,
            Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue),
            0
        )
        guard descriptor >= 0 else { throw HealthFailure("cannot open a local socket") }
        unlink(path)
        let isBound = LocalAddress.with(path) { address, length in bind(descriptor, address, length) } == 0
        // Nobody can connect before listen(2), so that the file is never open to others.
        guard isBound, chmod(path, 0o600) == 0, listen(descriptor, Self.mostWaiting) == 0 else {
            let failure = HealthFailure("cannot listen at \(path)")
            close(descriptor)
            throw failure
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Answers all who ask.
    ///
    /// Never blocks: an answer is shorter than the socket's buffer.
    public func answer(_ report: @autoclosure () -> HealthDocument.Process) {
        var bytes: [UInt8]?
        for _ in 0..<Self.mostWaiting {
            let asking = accept(descriptor, nil, nil)
            guard asking >= 0 else { return }
            _ = fcntl(asking, F_SETFD, FD_CLOEXEC)
            let answer = bytes ?? report().json
            bytes = answer
            _ = send(asking, answer, answer.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            // Ends the answer, although a program that was started meanwhile may have a copy of the descriptor.
            shutdown(asking, Int32(SHUT_RDWR))
            close(asking)
        }
    }
}
