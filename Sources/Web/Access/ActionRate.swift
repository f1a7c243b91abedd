import Synchronization

/// Limits how many acting requests are answered in a second, from all clients together.
///
/// Owns a number of free places, which grows with time up to its maximum.
final class ActionRate: Sendable {
    private struct State {
        var free: Double
        var at: ContinuousClock.Instant
    }

    private let mostOfSecond: Double
    private let state: Mutex<State>

    /// Starts with all places free.
    init(mostOfSecond: Int, at now: ContinuousClock.Instant = .now) {
        self.mostOfSecond = Double(mostOfSecond)
        state = Mutex(State(free: Double(mostOfSecond), at: now))
    }

    /// Takes a place.
    ///
    /// - Returns: whether one was free.
    func take(at now: ContinuousClock.Instant = .now) -> Bool {
        state.withLock { state in
            state.free = min(mostOfSecond, state.free + max(0, (now - state.at) / .seconds(1)) * mostOfSecond)
            state.at = max(state.at, now)
            guard state.free >= 1 else { return false }
            state.free -= 1
            return true
        }
    }
}
