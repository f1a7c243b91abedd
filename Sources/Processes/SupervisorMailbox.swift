import CBatonSpawn
import Glibc
import Synchronization

/// Requests of other threads to the supervisor's thread, and the bell that wakes the thread.
final class SupervisorMailbox: Sendable {
    /// A process to start.
    struct Launch: Sendable {
        var token: UInt64
        var specification: ProcessSpecification
        var onStart: @Sendable (pid_t) -> Void
        var onEnd: @Sendable (Result<ProcessExit, LaunchFailure>) -> Void
    }

    /// One request.
    enum Letter: Sendable {
        case launch(Launch)
        case terminate(token: UInt64, grace: Duration?)
        case terminateAll(grace: Duration?)
        case shutDown
    }

    private struct State {
        var letters: [Letter] = []
        /// Whether the reader is asleep, or about to sleep: then the next writer rings.
        var isAsleep = false
        /// Whether the mailbox refuses further letters.
        var isClosed = false
    }

    private let state = Mutex(State())

    /// An eventfd, readable after each ring.
    let bell: Int32

    init() throws(SystemFailure) {
        bell = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        guard bell >= 0 else { throw SystemFailure("cannot make a bell for the supervisor of processes") }
    }

    deinit {
        close(bell)
    }

    /// Leaves a letter; returns `false` after a request to shut down.
    @discardableResult
    func post(_ letter: Letter) -> Bool {
        let (accepted, mustRing) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            if case .shutDown = letter { state.isClosed = true }
            state.letters.append(letter)
            defer { state.isAsleep = false }
            return (true, state.isAsleep)
        }
        if mustRing {
            // The write can fail only with a counter near 2^64, and then the bell is ringing anyway.
            var one: UInt64 = 1
            _ = write(bell, &one, MemoryLayout.size(ofValue: one))
        }
        return accepted
    }

    /// Takes all letters.
    ///
    /// If the mailbox is empty and `mayThenSleep` is true, the next `post` rings the bell.
    func take(mayThenSleep: Bool) -> [Letter] {
        state.withLock { state in
            guard state.letters.isEmpty else {
                defer { state.letters = [] }
                return state.letters
            }
            state.isAsleep = mayThenSleep
            return []
        }
    }
}
