@_spi(Baton) import BatonProcesses
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The pipe on which a process in the background tells its starter, once, that it is ready or why it is not.
final class ReadyPipe: Sendable {
    /// What the process tells: either the address, or the rest.
    struct Message: Codable, Hashable, Sendable {
        /// The address at which the coordinator listens.
        var coordinator: String?
        /// The exit status of a failure.
        var status: Int32?
        /// The code of the failure for scripts.
        var code: String?
        /// The sentence of the failure.
        var message: String?
        /// What to do about the failure.
        var advice: String?

        /// The failure; nil if the process is ready.
        var failure: CommandFailure? {
            guard let status, let code, let message else { return nil }
            return CommandFailure(status, code: code, message, advice: advice)
        }
    }

    /// The environment variable that says that a process has the pipe.
    static let variable = "BATON_READY"

    /// The open pipe; nil after the message.
    private let descriptor: Mutex<Int32?>

    /// The pipe that this process was started with; nil without one.
    init?() {
        let descriptor = BackgroundProcess.pipeDescriptor
        var status = stat()
        guard Surroundings.variable(Self.variable) == "1", fstat(descriptor, &status) == 0,
            status.st_mode & S_IFMT == S_IFIFO
        else { return nil }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        self.descriptor = Mutex(descriptor)
    }

    /// Tells that the coordinator listens; has no effect after another message.
    ///
    /// - Throws: ``CommandFailure`` if the starter was interrupted meanwhile, so that nobody waits for the message.
    func tellReady(at coordinator: String) throws(CommandFailure) {
        guard tell(Message(coordinator: coordinator)) else {
            throw CommandFailure(
                ExitStatus.unreachable,
                code: "interrupted",
                "The command that started this process was interrupted, and so this process ends."
            )
        }
    }

    /// Tells why the process is about to end; has no effect after another message.
    func tell(_ failure: CommandFailure) {
        _ = tell(
            Message(status: failure.status, code: failure.code, message: failure.message, advice: failure.advice)
        )
    }

    private func tell(_ message: Message) -> Bool {
        descriptor.withLock { descriptor in
            guard let open = descriptor else { return true }
            defer {
                close(open)
                descriptor = nil
            }
            guard let bytes = try? JSONEncoder().encode(message) else { return false }
            do {
                try Output.write(Array(bytes), to: open)
                return true
            } catch {
                return false
            }
        }
    }
}
