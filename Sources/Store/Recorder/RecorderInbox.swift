import Dispatch
package import BatonOperations
import Synchronization

/// What waits for the recorder's thread; anybody may put something in, the thread alone takes out.
package final class RecorderInbox: Sendable {
    /// One thing to do.
    package enum Item: Sendable {
        /// Keep these changes together.
        case append([RecordChange], completion: @Sendable (Result<Void, StoreError>) -> Void)
        /// Answer a question, or say why it cannot be answered; with `toleratesFailure`, what was to be kept before it need
        /// not be there.
        case read(
            toleratesFailure: Bool,
            answer: @Sendable (any Store) -> Void,
            refuse: @Sendable (StoreError) -> Void
        )
    }

    /// What the thread found.
    struct Delivery {
        /// What came in since the last time, in order.
        var items: [Item]
        /// Whether somebody asked for another try of what could not be kept.
        var wantsRetry: Bool
        /// Whether nothing more will come.
        var isClosed: Bool
    }

    private struct State {
        var items: [Item] = []
        var wantsRetry = false
        var isClosed = false
        var isThreadWaiting = false
    }

    private let state = Mutex(State())
    private let wakeUp = DispatchSemaphore(value: 0)

    /// Makes an empty inbox.
    package init() {}

    /// Puts something in.
    ///
    /// - Returns: false where the inbox is closed; the item was not taken then.
    package func put(_ item: Item) -> Bool {
        change { state in
            guard !state.isClosed else { return false }
            state.items.append(item)
            return true
        }
    }

    /// Asks for another try of what could not be kept.
    package func requestRetry() {
        change { $0.wantsRetry = true }
    }

    /// Takes nothing more.
    func close() {
        change { $0.isClosed = true }
    }

    /// Takes everything out.
    ///
    /// - Parameter blocking: whether to wait until there is something, or a request, or the inbox is closed.
    func take(blocking: Bool) -> Delivery {
        while true {
            let delivery = state.withLock { state -> Delivery? in
                if blocking, state.items.isEmpty, !state.wantsRetry, !state.isClosed {
                    state.isThreadWaiting = true
                    return nil
                }
                let delivery = Delivery(items: state.items, wantsRetry: state.wantsRetry, isClosed: state.isClosed)
                state.items = []
                state.wantsRetry = false
                return delivery
            }
            if let delivery { return delivery }
            wakeUp.wait()
        }
    }

    @discardableResult
    private func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        let (value, mustWake) = state.withLock { state in
            let value = body(&state)
            defer { state.isThreadWaiting = false }
            return (value, state.isThreadWaiting)
        }
        if mustWake { wakeUp.signal() }
        return value
    }
}
