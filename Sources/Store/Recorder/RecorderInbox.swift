import Dispatch
package import BatonOperations
import Synchronization

/// The queue of work for the recorder's thread; any thread may add items, only the recorder's thread takes them.
package final class RecorderInbox: Sendable {
    /// One item of work.
    package enum Item: Sendable {
        /// Store these changes together.
        case append([RecordChange], completion: @Sendable (Result<Void, StoreError>) -> Void)
        /// Answer a question, or report why there is no answer.
        ///
        /// With `toleratesFailure`, the answer may lack changes appended before.
        case read(
            toleratesFailure: Bool,
            answer: @Sendable (any Store) -> Void,
            refuse: @Sendable (StoreError) -> Void
        )
    }

    /// The items and requests taken at one time.
    struct Delivery {
        /// The items since the last delivery, in order.
        var items: [Item]
        /// Whether another try to store failed changes was requested.
        var wantsRetry: Bool
        /// Whether the inbox is closed.
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

    /// Adds an item.
    ///
    /// - Returns: false if the inbox is closed; the item was then not added.
    package func put(_ item: Item) -> Bool {
        change { state in
            guard !state.isClosed else { return false }
            state.items.append(item)
            return true
        }
    }

    /// Requests another try to store failed changes.
    package func requestRetry() {
        change { $0.wantsRetry = true }
    }

    /// Refuses all further items.
    func close() {
        change { $0.isClosed = true }
    }

    /// Takes all items.
    ///
    /// - Parameter blocking: whether to wait for an item, a request, or the end of the inbox.
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
