@_spi(Baton) package import BatonOperations
@_spi(Baton) import BatonThreads
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
        /// Have a question answered beside the recorder's thread, or report why there is no answer.
        case readBeside(
            in: ReadingLine,
            answer: @Sendable (any RecordReader) -> Void,
            refuse: @Sendable (StoreError) -> Void
        )
    }

    /// The items and requests taken at one time.
    struct Delivery {
        /// The items since the last delivery, in order.
        var items: [Item]
        /// Whether another try to store failed changes, or a look at the record's files, was requested.
        var wantsRetry: Bool
        /// Whether the inbox is closed.
        var isClosed: Bool
    }

    private let mailbox = Mailbox<Item, SemaphoreBell>(bell: SemaphoreBell())
    private let wantsRetry = Atomic(false)

    /// Makes an empty inbox.
    package init() {}

    /// Adds an item.
    ///
    /// - Returns: false if the inbox is closed; the item was then not added.
    package func put(_ item: Item) -> Bool { mailbox.post(item) }

    /// Requests another try to store failed changes, or a look at the record's files.
    package func requestRetry() {
        wantsRetry.store(true, ordering: .releasing)
        mailbox.ring()
    }

    /// Refuses all further items.
    func close() { mailbox.close() }

    /// Takes all items.
    ///
    /// - Parameters:
    ///   - blocking: whether to wait for an item, a request, or the end of the inbox.
    ///   - time: how long to wait; nil for as long as it takes.
    func take(blocking: Bool, atMost time: Duration? = nil) -> Delivery {
        let limit = time.map { ContinuousClock.now + $0 }
        while true {
            let taken = mailbox.take(mayThenSleep: blocking)
            // The order matters: a request after this line finds the mailbox asleep, and rings.
            let wantsRetry = wantsRetry.exchange(false, ordering: .acquiringAndReleasing)
            guard blocking, taken.elements.isEmpty, !wantsRetry, !taken.isClosed else {
                return Delivery(items: taken.elements, wantsRetry: wantsRetry, isClosed: taken.isClosed)
            }
            guard let limit else {
                mailbox.bell.wait()
                continue
            }
            let rest = limit - ContinuousClock.now
            guard rest > .zero else {
                return Delivery(items: [], wantsRetry: false, isClosed: false)
            }
            mailbox.bell.wait(for: rest)
        }
    }
}
