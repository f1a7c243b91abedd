@_spi(Baton) public import BatonOperations
@_spi(Baton) import BatonThreads

/// Gives a record a thread of its own, which stores changes in groups and answers questions; questions of readers alone have
/// another thread.
///
/// While one transaction is forced to the disk, further appended changes gather; the next transaction takes all of them. A
/// single change is therefore stored as soon as possible, and ten thousand changes at once cost hardly more than one.
///
/// **When the record cannot be written** (a full disk), no change is dropped or reordered, because later changes build on earlier
/// ones. The failed changes stay at the front of the queue with their completions pending; `onFailure` is called once, and again
/// whenever the reason changes. Each further append, and ``retry()``, makes another try; after a success, `onRecovery` is called
/// and all work continues. Meanwhile questions are answered with the error, because an answer would lack the changes appended
/// before. Only questions that tolerate the failure are answered from the data on disk.
///
/// A failed change is not undone in memory, although its transaction was rolled back: the caller has gone on from the change,
/// and the change may be in the file. After a failure to force the data to the disk, the whole transaction may be in the file,
/// and hold after a crash.
@_spi(Baton) public final class Recorder: Sendable {
    /// The most rows of one transaction, unless a single append has more.
    public static let defaultTransactionLimit = 20_000

    private let inbox: RecorderInbox
    private let thread: SystemThread
    private let closed: StoreError

    /// Starts the thread and hands the record over to it.
    ///
    /// - Parameters:
    ///   - store: the open record; no other code may use it any more.
    ///   - transactionLimit: the approximate most rows of one transaction; an append is never split.
    ///   - onFailure: called on the recorder's thread when changes cannot be stored.
    ///   - onRecovery: called on the recorder's thread when changes are stored again, before their completions.
    /// - Throws: ``StoreError`` if the system has no thread left.
    public init(
        store: sending any Store,
        transactionLimit: Int = defaultTransactionLimit,
        onFailure: @escaping @Sendable (StoreError) -> Void,
        onRecovery: @escaping @Sendable () -> Void
    ) throws(StoreError) {
        let inbox = RecorderInbox()
        self.inbox = inbox
        closed = StoreError(.closed, "The record is closed: the coordinator is going away. Ask again when it is back.")
        let reader = try store.makeReader()
        do throws(ThreadFailure) {
            let readerThread = if let reader { try ReaderThread(reader) } else { nil as ReaderThread? }
            // A task of a concurrency pool must not block in `fsync`.
            thread = try SystemThread {
                var loop = RecorderLoop(
                    store: store,
                    readerThread: readerThread,
                    inbox: inbox,
                    transactionLimit: transactionLimit,
                    onFailure: onFailure,
                    onRecovery: onRecovery
                )
                loop.run()
            }
        } catch {
            throw StoreError(.system, "The system gives no thread for the record: \(error.reason).")
        }
    }

    deinit {
        shutDown()
    }

    /// Stores changes together, after all changes appended before; never blocks.
    ///
    /// - Parameter completion: called on the recorder's thread, in the order of the appends: with success once the changes are
    ///   on disk; with an error only if the recorder was shut down before the changes could be stored.
    public func append(
        _ changes: [RecordChange],
        completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
    ) {
        let item = RecorderInbox.Item.append(changes, completion: completion)
        if !inbox.put(item) { item.refuse(closed) }
    }

    /// Asks the record a question, after all changes appended before are on disk; never blocks.
    ///
    /// - Parameters:
    ///   - toleratesFailure: whether to answer even while earlier changes cannot be stored, from the data on disk without them.
    ///   - body: runs on the recorder's thread, and delays all waiting work: ask for a page, not for everything.
    ///   - completion: called on the recorder's thread with the answer or an error: the error of the body, or the reason why
    ///     earlier changes cannot be stored.
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

    /// Asks a question that readers can answer, after all changes appended before are on disk; never blocks.
    ///
    /// Where the record has a second reader, the answer delays no change. It may include changes appended later.
    ///
    /// - Parameters:
    ///   - body: runs on the thread of the reader, with the data of one moment; delays other questions: ask for a page.
    ///   - completion: called on that thread with the answer or an error, or on the recorder's thread with the reason why
    ///     earlier changes cannot be stored.
    public func readBeside<Value: Sendable>(
        _ body: @escaping @Sendable (any RecordReader) throws(StoreError) -> Value,
        completion: @escaping @Sendable (Result<Value, StoreError>) -> Void
    ) {
        let item = RecorderInbox.Item.readBeside(
            answer: { reader in
                do throws(StoreError) {
                    completion(.success(try body(reader)))
                } catch {
                    completion(.failure(error))
                }
            },
            refuse: { completion(.failure($0)) }
        )
        if !inbox.put(item) { item.refuse(closed) }
    }

    /// Tries again to store failed changes; does nothing without a failure.
    public func retry() {
        inbox.requestRetry()
    }

    /// Stores all appended changes, closes the record, and returns afterwards.
    ///
    /// Changes that still cannot be stored are given up: their completions get the error. Later appends and questions are
    /// refused. Do not call this on the recorder's own thread, on which it would return before the work is done, nor on the
    /// thread that answers beside it, on which it would wait for itself.
    public func shutDown() {
        inbox.close()
        thread.join()
    }
}
