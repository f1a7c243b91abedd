import Synchronization

/// The decision to give up the wait for an answer: the user has asked for an end, and the answer is late.
///
/// An answer that is not late is worth the wait, since it names the job that the user wants to cancel.
final class LateAnswer: Sendable {
    private struct State {
        var isLate = false
        var isUnwanted = false
        var giveUp: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Notes that the answer is late.
    func noteDelay() { change { $0.isLate = true } }

    /// Notes that the user no longer waits.
    func noteInterruption() { change { $0.isUnwanted = true } }

    /// Sets what gives up the wait; called once, now if it is due.
    func onGivingUp(_ action: @escaping @Sendable () -> Void) { change { $0.giveUp = action } }

    private func change(_ body: (inout State) -> Void) {
        let action = state.withLock { state -> (@Sendable () -> Void)? in
            body(&state)
            guard state.isLate, state.isUnwanted else { return nil }
            defer { state.giveUp = nil }
            return state.giveUp
        }
        action?()
    }
}
