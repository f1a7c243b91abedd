@_spi(Baton) import BatonProcesses
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The handling of SIGHUP in a process that runs until somebody ends it.
///
/// A process that was started on a terminal loses it with this signal, and ends. Elsewhere, such as under a service manager or in a
/// container, nothing hangs up, and the signal asks the process to read its files again. Keep the object alive for the time of the
/// watch.
final class ReloadRequests: Sendable {
    private final class Plan: Sendable {
        struct State {
            var action: (@Sendable () -> Void)?
            /// A signal came before the action was set.
            var isDue = false
        }

        let state = Mutex(State())
    }

    /// The signals that ask the process to end.
    let endings: [Int32]

    private let plan = Plan()
    /// Nil on a terminal.
    private let watcher: SignalWatcher?

    /// Starts to watch for the signal.
    init() {
        guard !Self.hasTerminal else {
            (endings, watcher) = (SignalWatcher.endings, nil)
            return
        }
        endings = SignalWatcher.endings.filter { $0 != SIGHUP }
        let plan = plan
        watcher = SignalWatcher(of: [SIGHUP]) { _, _ in
            let action = plan.state.withLock { state in
                state.isDue = state.action == nil
                return state.action
            }
            action?()
        }
    }

    /// Sets the action for each signal; after a signal, the action runs now.
    ///
    /// - Parameter action: called on the thread of the watch, or on the calling one.
    func onRequest(_ action: @escaping @Sendable () -> Void) {
        let isDue = plan.state.withLock { state in
            defer { (state.action, state.isDue) = (action, false) }
            return state.isDue
        }
        if isDue { action() }
    }

    /// Whether the process has a controlling terminal, which can hang up.
    private static var hasTerminal: Bool {
        let descriptor = open("/dev/tty", O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }
}
