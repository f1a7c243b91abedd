@_spi(Baton) import BatonThreads
import Glibc

/// A request of another thread to the supervisor's thread.
enum SupervisorLetter: Sendable {
    /// A process to start.
    struct Launch: Sendable {
        var token: UInt64
        var specification: ProcessSpecification
        var onStart: @Sendable (pid_t) -> Void
        var onEnd: @Sendable (Result<ProcessExit, LaunchFailure>) -> Void
    }

    case launch(Launch)
    case terminate(token: UInt64, grace: Duration?)
    case terminateAll(grace: Duration?)
    /// Ended processes may have come to this process with the end of their parents.
    case reapOrphans
    /// The last letter.
    case shutDown
}

/// The letters to the supervisor's thread.
typealias SupervisorMailbox = Mailbox<SupervisorLetter, EventBell>
