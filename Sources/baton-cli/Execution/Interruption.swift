@_spi(Baton) import BatonProcesses
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Handles Ctrl-C and similar signals: the first signal asks for an orderly end, and a second signal ends the process at once.
///
/// Some commands leave their work to others at a signal, instead of ending the work: see ``init(leavingAt:)``. Keep the object
/// alive for the time of the watch.
final class Interruption: Sendable {
    private final class Plan: Sendable {
        struct State {
            var signal: Int32?
            var action: (@Sendable () -> Void)?
            var cleanUp: (@Sendable () -> Void)?
            /// The first signal to leave at that came before the action was set.
            var leavingSignal: Int32?
            var departure: (@Sendable (_ signal: Int32) -> Void)?
        }

        let state = Mutex(State())

        /// Notes a signal, and returns what to do now; nil for nothing.
        func note(_ signal: Int32, count: Int, leaves: Bool) -> (@Sendable () -> Void)? {
            state.withLock { state -> (@Sendable () -> Void)? in
                if leaves {
                    if let departure = state.departure { return { departure(signal) } }
                    state.leavingSignal = state.leavingSignal ?? signal
                } else {
                    state.signal = state.signal ?? signal
                }
                if count > 1 { return state.cleanUp }
                return leaves ? nil : state.action
            }
        }
    }

    private let plan: Plan
    /// Nil if another process watches.
    private let watcher: SignalWatcher?

    /// Starts to watch for signals.
    ///
    /// - Parameters:
    ///   - usual: the signals that ask for an orderly end.
    ///   - leaving: the signals that ask the process to leave, see ``onLeaving(_:)``; other signals that ask for an end ask for an
    ///     orderly end.
    ///   - ending: signals besides the usual ones that ask for an orderly end.
    init(
        at usual: [Int32] = SignalWatcher.endings,
        leavingAt leaving: [Int32] = [],
        endingAt ending: [Int32] = []
    ) {
        let plan = Plan()
        self.plan = plan
        let signals = usual + (leaving + ending).filter { !usual.contains($0) }
        watcher = SignalWatcher(of: signals) { signal, count in
            plan.note(signal, count: count, leaves: leaving.contains(signal))?()
            if count > 1 { CommandEnd.signal(signal).endProcess() }
        }
    }

    private init(plan: Plan) {
        self.plan = plan
        watcher = nil
    }

    /// An interruption whose signals reach another process, see ``take(_:)``.
    static func ofOtherProcess() -> Interruption { Interruption(plan: Plan()) }

    /// Takes the first signal of another process, or one that came before the watch.
    func take(_ signal: Int32) { plan.note(signal, count: 1, leaves: false)?() }

    /// The first signal received that asks for an end, or nil.
    var signal: Int32? { plan.state.withLock { $0.signal } }

    /// Sets the action for the first signal; after a signal, the action runs now.
    func onFirst(_ action: @escaping @Sendable () -> Void) {
        let isDue = plan.state.withLock { state in
            state.action = action
            return state.signal != nil
        }
        if isDue { action() }
    }

    /// Sets the action for each signal to leave at; after such a signal, the action runs now.
    ///
    /// - Parameter action: called with the number of the signal.
    func onLeaving(_ action: @escaping @Sendable (_ signal: Int32) -> Void) {
        let signal = plan.state.withLock { state in
            state.departure = action
            return state.leavingSignal
        }
        if let signal { action(signal) }
    }

    /// Sets the action before the exit at the second signal, which discards what the process writes from then on.
    func beforeLeaving(_ cleanUp: @escaping @Sendable () -> Void) {
        plan.state.withLock { state in
            state.cleanUp = {
                // Other threads would report the loss of what the clean-up removes.
                Output.silence()
                cleanUp()
            }
        }
    }
}
