@_spi(Baton) public import BatonOperations
@_spi(Baton) import BatonThreads

/// Gives a record a thread of its own, which stores changes in groups and answers questions; questions of readers alone have
/// threads of their own.
///
/// While one transaction is forced to the disk, further appended changes gather; the next transaction takes all of them. A
/// single change is therefore stored as soon as possible, and ten thousand changes at once cost hardly more than one.
///
/// **When the record cannot be written** (a full disk), no change is dropped or reordered, because later changes build on earlier
/// ones. The failed changes stay at the front of the queue with their completions pending; `onFailure` is called once, and again
/// whenever the reason changes. Each further append, and ``retry()``, makes another try; after a success, `onRecovery` is called
/// and all work continues. Meanwhile questions are answered with the error, because an answer would lack the changes appended
/// before. Only questions that tolerate the failure are answered from the data on disk. Both are answered before the next try, which
/// may take long on a disk with other load, so that a question waits for one try at most: the one that goes on when it comes.
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
    /// Ends a wait of the store for its server; nil for a store without one.
    private let interrupt: (@Sendable () -> Void)?

    /// Starts the thread and hands the record over to it.
    ///
    /// - Parameters:
    ///   - store: the open record; no other code may use it any more.
    ///   - transactionLimit: the approximate most rows of one transaction; an append is never split.
    ///   - onFailure: called on the recorder's thread when changes cannot be stored.
    ///   - onRecovery: called on the recorder's thread when changes are stored again, before their completions.
    ///   - onProof: called on the recorder's thread when the store has proved that it may still write, with the moment from which on
    ///     the proof counts; never for a record that one host alone can open.
    ///   - onDeposed: called on the recorder's thread once another coordinator leads on the record; all work is refused from then on.
    /// - Throws: ``StoreError`` if the system has no thread left.
    public init(
        store: sending any Store,
        transactionLimit: Int = defaultTransactionLimit,
        onFailure: @escaping @Sendable (StoreError) -> Void,
        onRecovery: @escaping @Sendable () -> Void,
        onProof: (@Sendable (Timestamp) -> Void)? = nil,
        onDeposed: (@Sendable (StoreError) -> Void)? = nil
    ) throws(StoreError) {
        let inbox = RecorderInbox()
        self.inbox = inbox
        closed = StoreError(.closed, "The record is closed: the coordinator is going away. Ask again when it is back.")
        interrupt = store.makeInterrupt()
        let pages = try store.makeReader()
        let jobs = try store.makeReader()
        do throws(ThreadFailure) {
            let pageReader =
                if let pages { try ReaderThread(pages, named: "reader") } else { nil as ReaderThread? }
            let jobReader =
                if let jobs { try ReaderThread(jobs, named: "job-reader") } else { nil as ReaderThread? }
            let readers = ReaderThreads(pages: pageReader, jobs: jobReader)
            // A task of a concurrency pool must not block in `fsync`.
            thread = try SystemThread(named: "recorder") {
                var loop = RecorderLoop(
                    store: store,
                    readers: readers,
                    inbox: inbox,
                    transactionLimit: transactionLimit,
                    onFailure: onFailure,
                    onRecovery: onRecovery,
                    onProof: onProof,
                    onDeposed: onDeposed
                )
                loop.run()
            }
        } catch {
            throw StoreError(.system, "The system gives no thread for the record: \(error.reason).", mayPass: true)
        }
    }

    deinit {
        shutDown()
    }

    /// Adds work behind all earlier work, or refuses the work after ``shutDown()``; never blocks.
    ///
    /// The completion of changes is called on the recorder's thread, in the order of the appends: with success once the changes are
    /// on disk; with an error only if the recorder was shut down before the changes could be stored. A question is answered after
    /// all changes appended before are on disk. It runs on the recorder's thread, and delays all waiting work, or on the thread of a
    /// reader, where it delays no change and may see changes appended later: ask for a page there, and in the line for whole jobs
    /// for more.
    package func put(_ work: RecorderInbox.Item) {
        if !inbox.put(work) { work.refuse(closed) }
    }

    /// Tries again to store failed changes; without changes to store, looks whether the record's files are in their place.
    ///
    /// Files that are not in their place are a failure, as at a commit.
    public func retry() {
        inbox.requestRetry()
    }

    /// Stores all appended changes, closes the record, and returns afterwards.
    ///
    /// Changes that still cannot be stored are given up: their completions get the error. So are those whose fate only a lost server
    /// knows, for which nobody waits then. Later appends and questions are
    /// refused. Do not call this on the recorder's own thread, on which it would return before the work is done, nor on a
    /// thread that answers beside it, on which it would wait for itself.
    public func shutDown() {
        inbox.close()
        interrupt?()
        thread.join()
    }
}
