import Glibc

/// Asks a process of this host for its health.
///
/// The question is put by the initialiser, so that several processes answer at once.
@_spi(Baton) public final class HealthQuestion {
    /// What came back.
    public enum Answer: Hashable, Sendable {
        /// No process runs there.
        case none
        /// A process runs there and does not answer.
        case silent
        /// The bytes of a `HealthDocument.Process`.
        case report([UInt8])
    }

    /// The greatest number of bytes of an answer.
    private static let mostBytes = 1 << 16

    /// The id of the process that listens; nil if none does, or if the process cannot be seen from here.
    ///
    /// The id belongs to the process as long as it has not answered.
    public let processID: Int32?

    /// Nil if nobody has to be waited for.
    private let descriptor: Int32?
    private let immediate: Answer

    /// Puts the question to the process that listens at a path.
    ///
    /// - Throws: ``HealthFailure`` if this user may not ask, or the system has no socket left.
    public init(at path: String) throws(HealthFailure) {
        let descriptor = socket(
            AF_UNIX,
            Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue),
            0
        )
        guard descriptor >= 0 else { throw HealthFailure("cannot open a local socket") }
        if LocalAddress.with(path, { address, length in connect(descriptor, address, length) }) == 0 {
            (self.descriptor, immediate, processID) = (descriptor, .silent, Self.listener(of: descriptor))
            return
        }
        let failure = HealthFailure("cannot ask at \(path)")
        close(descriptor)
        (self.descriptor, immediate, processID) = (nil, try Self.answer(for: failure), nil)
    }

    /// The structure `ucred` of the system, which Swift does not see.
    private struct Credentials {
        var process: Int32 = 0
        var user: UInt32 = 0
        var group: UInt32 = 0
    }

    /// The process at the other end of a connection, as the kernel knows it.
    private static func listener(of descriptor: Int32) -> Int32? {
        var credentials = Credentials()
        var length = socklen_t(MemoryLayout<Credentials>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 else { return nil }
        return credentials.process > 0 ? credentials.process : nil
    }

    /// What a refused connection says.
    private static func answer(for failure: HealthFailure) throws(HealthFailure) -> Answer {
        switch failure.code {
        // The socket is missing, or its process has ended.
        case ENOENT, ENOTDIR, ECONNREFUSED: return .none
        // The queue of questions is full: the process reads none.
        case EAGAIN: return .silent
        default: throw failure
        }
    }

    deinit {
        if let descriptor { close(descriptor) }
    }

    /// Waits for the answer.
    public func answer(until deadline: ContinuousClock.Instant) -> Answer {
        guard let descriptor else { return immediate }
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while answer.count < Self.mostBytes {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count > 0 {
                answer += buffer[..<count]
            } else if count == 0 {
                // A process that ends closes its connections unanswered.
                return answer.isEmpty ? .none : .report(answer)
            } else if errno == EAGAIN {
                guard Self.wait(for: descriptor, until: deadline) else { return .silent }
            } else if errno != EINTR {
                return errno == ECONNRESET ? .none : .silent
            }
        }
        return .silent
    }

    private static func wait(for descriptor: Int32, until deadline: ContinuousClock.Instant) -> Bool {
        while true {
            let left = deadline - .now
            guard left > .zero else { return false }
            let (seconds, attoseconds) = left.components
            let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000 + 1
            var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = poll(&item, 1, Int32(clamping: milliseconds))
            if count > 0 { return true }
            if count < 0, errno != EINTR { return false }
        }
    }
}
