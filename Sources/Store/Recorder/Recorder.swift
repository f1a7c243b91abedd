public import BatonOperations

/// Gives a record a thread of its own, on which changes are kept in groups and questions are answered.
///
/// While one transaction is forced to the disk, whatever is appended gathers; the next transaction takes all of it. So a
/// single change is kept as soon as it can be, and ten thousand at once cost hardly more than one.
///
/// **When the record cannot be written** (a full disk), nothing is given up and nothing is reordered, because later changes
/// build on earlier ones. The failed changes stay first in line with their completions pending; `onFailure` is told once, and
/// again whenever the reason changes. Each further append, and ``retry()``, makes another try; once it goes well,
/// `onRecovery` is told and everything goes on. Questions meanwhile are answered with the error, because the answer would
/// leave out what was appended before them; but for those that ask for just what is on disk.
///
/// Nor is a failed change taken back, although its transaction was: whoever appended it has gone on from it, and that the
/// file does not have it is not even sure. Where forcing it to the disk failed, the whole transaction may stand there, and
/// hold after a crash.
public final class Recorder: Sendable {
    /// How many rows one transaction holds at most, unless a single append has more.
    public static let defaultTransactionLimit = 20_000

    private let inbox: RecorderInbox
    private let thread: WriterThread
    private let closed: StoreError

    /// Starts the thread and hands the record over to it.
    ///
    /// - Parameters:
    ///   - store: the record, open; nobody else may use it any more.
    ///   - transactionLimit: about how many rows one transaction may hold; an append is never torn apart.
    ///   - onFailure: told on the recorder's thread that changes cannot be kept.
    ///   - onRecovery: told on the recorder's thread that they are kept again, before their completions are called.
    /// - Throws: ``StoreError`` where the system has no thread left.
    public init(
        store: sending any Store,
        transactionLimit: Int = defaultTransactionLimit,
        onFailure: @escaping @Sendable (StoreError) -> Void,
        onRecovery: @escaping @Sendable () -> Void
    ) throws(StoreError) {
        let inbox = RecorderInbox()
        let handedOver = HandedOver(store: store)
        self.inbox = inbox
        closed = StoreError(.other, "The record is closed: the coordinator is going away. Ask again when it is back.")
        thread = try WriterThread {
            var loop = RecorderLoop(
                store: handedOver.store,
                inbox: inbox,
                transactionLimit: transactionLimit,
                onFailure: onFailure,
                onRecovery: onRecovery
            )
            loop.run()
        }
    }

    deinit {
        shutDown()
    }

    /// Has changes kept together, after all that was appended before; never blocks.
    ///
    /// - Parameter completion: called on the recorder's thread, in the order of the appends: with success once the changes
    ///   are on disk; with an error only where the recorder was shut down before they could be kept.
    public func append(
        _ changes: [RecordChange],
        completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
    ) {
        let item = RecorderInbox.Item.append(changes, completion: completion)
        if !inbox.put(item) { item.refuse(closed) }
    }

    /// Asks the record something, after all that was appended before is on disk; never blocks.
    ///
    /// - Parameters:
    ///   - toleratesFailure: whether it is answered, too, while changes that were appended before cannot be kept: out of what
    ///     is on disk without them.
    ///   - body: runs on the recorder's thread, and delays all that waits there: ask for a page, not for everything.
    ///   - completion: called on the recorder's thread with the answer, or with why there is none: what the body threw, or
    ///     why changes that were appended before cannot be kept.
    public func read<Value: Sendable>(
        toleratingFailure toleratesFailure: Bool = false,
        _ body: @escaping @Sendable (any Store) throws(StoreError) -> Value,
        completion: @escaping @Sendable (Result<Value, StoreError>) -> Void
    ) {
        let item = RecorderInbox.Item.read(
            toleratesFailure: toleratesFailure,
            answer: { store in
                do throws(StoreError) {
                    completion(.success(try body(store)))
                } catch {
                    completion(.failure(error))
                }
            },
            refuse: { completion(.failure($0)) }
        )
        if !inbox.put(item) { item.refuse(closed) }
    }

    /// Tries again to keep what could not be kept; does nothing while all goes well.
    public func retry() {
        inbox.requestRetry()
    }

    /// Keeps what was appended, closes the record, and returns when that is done.
    ///
    /// What cannot be kept now either is given up: its completions get the error. Later appends and questions are refused. To
    /// be called from any thread but the recorder's own, where it would return before the work is done.
    public func shutDown() {
        inbox.close()
        thread.join()
    }

    /// Carries the store to its thread.
    private struct HandedOver: @unchecked Sendable {
        // The initializer's parameter is `sending`: from there on, only the recorder's thread can reach the store.
        let store: any Store
    }
}
