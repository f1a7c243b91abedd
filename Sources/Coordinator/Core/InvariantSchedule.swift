@_spi(Baton) import BatonInvariants

/// Decides when the core checks all invariants of the scheduler, a check that takes time in proportion to the state.
///
/// Owns the number of events until the next check. Guarantees that the checks cost a bounded time for each event: the number
/// of events between two checks rises with the size of the state, and a large state is not checked.
struct InvariantSchedule {
    /// The least number of events between two checks.
    static let leastEvents = 16
    /// The largest state that is checked: the number of operations, queues and workers.
    static let largestState = 10_000

    private let isOn: Bool
    private var eventsLeft = Self.leastEvents

    /// Starts a schedule.
    ///
    /// - Parameter isOn: whether to check at all.
    init(isOn: Bool = checksExpensiveInvariants) {
        self.isOn = isOn
    }

    /// Counts events, and returns whether a check is due after the events.
    ///
    /// - Parameter state: the size of the state.
    mutating func isDue(after events: Int, state: @autoclosure () -> Int) -> Bool {
        guard isOn else { return false }
        eventsLeft -= events
        guard eventsLeft <= 0 else { return false }
        let state = state()
        eventsLeft = Self.leastEvents + state
        return state <= Self.largestState
    }
}
