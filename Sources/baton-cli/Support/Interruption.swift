@_spi(Baton) import BatonProcesses
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Handles Ctrl-C and similar signals: the first signal asks for an orderly end, and a second signal ends the process at once.
///
/// Keep the object alive for the time of the watch.
final class Interruption: Sendable {
    private final class Plan: Sendable {
        struct State {
            var signal: Int32?
            var action: (@Sendable () -> Void)?
            var cleanUp: (@Sendable () -> Void)?
        }

        let state = Mutex(State())
    }

    private let plan: Plan
    private let watcher: SignalWatcher

    /// Starts to watch for signals.
    init() {
        let plan = Plan()
        self.plan = plan
        watcher = SignalWatcher { signal, count in
            let next = plan.state.withLock { state in
                state.signal = state.signal ?? signal
                return count == 1 ? state.action : state.cleanUp
            }
            next?()
            if count > 1 { _exit(ExitStatus.signal(signal)) }
        }
    }

    /// The first signal received, or nil.
    var signal: Int32? { plan.state.withLock { $0.signal } }

    /// Sets the action for the first signal; after a signal, the action runs now.
    func onFirst(_ action: @escaping @Sendable () -> Void) {
        let isDue = plan.state.withLock { state in
            state.action = action
            return state.signal != nil
        }
        if isDue { action() }
    }

    /// Sets the action before the exit at the second signal.
    func beforeLeaving(_ cleanUp: @escaping @Sendable () -> Void) {
        plan.state.withLock { $0.cleanUp = cleanUp }
    }
}
