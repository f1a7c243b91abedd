import BatonProcesses
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Ctrl-C and its like: the first one asks for an orderly end, a second one leaves at once.
///
/// Keep it for as long as it is to watch.
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

    /// Watches from now on.
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

    /// The first signal, if there was one.
    var signal: Int32? { plan.state.withLock { $0.signal } }

    /// Says what the first signal does; where it has come already, that is done now.
    func onFirst(_ action: @escaping @Sendable () -> Void) {
        let isDue = plan.state.withLock { state in
            state.action = action
            return state.signal != nil
        }
        if isDue { action() }
    }

    /// Says what is done before the process leaves at the second signal.
    func beforeLeaving(_ cleanUp: @escaping @Sendable () -> Void) {
        plan.state.withLock { $0.cleanUp = cleanUp }
    }
}
