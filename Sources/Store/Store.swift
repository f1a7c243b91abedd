@_spi(Baton) public import BatonOperations

/// The record: everything reported as having happened, from which a restarted coordinator continues.
///
/// One thread at a time uses a store; ``Recorder`` gives a store a thread of its own. Every store passes the same list of
/// tests, on each kind of disk.
@_spi(Baton) public protocol Store: RecordReader {
    /// Raises the epoch on disk, and returns the stored state for a starting coordinator.
    ///
    /// The record keeps the incarnation that the coordinator has drawn for the epoch.
    func open(as incarnation: Incarnation) throws(StoreError) -> StoredState

    /// Stores all changes durably, or none of them.
    ///
    /// A record of an operation replaces older records of the operation, including the operation's part of a record about
    /// several neighbours. Events come in the order of their numbers, each above all numbers stored before.
    ///
    /// - Throws: ``StoreError`` if the changes cannot be stored; the store is then as before the call.
    func commit(_ changes: [RecordChange]) throws(StoreError)

    /// Stores the next rows of a job that the record does not have yet, durably, and notes in the parts how far they are stored.
    ///
    /// Nothing of the job is found before its record is committed with ``JobRecord/areRowsStored``. Until then, the job counts as
    /// removed: its number is never given again, and ``removeFinished(beyond:except:at:)`` removes its rows, also after a
    /// restart, unless the number is among the jobs to keep.
    ///
    /// - Parameter rows: about how many rows to store, at least 1; the lines of an array are never split.
    /// - Throws: ``StoreError`` if the rows cannot be stored; the parts are then as before the call.
    func store(_ parts: inout JobParts, of job: JobNumber, rows: Int) throws(StoreError)

    /// Throws if the record's files are not in their place or were cut, so that changes would not be found later.
    ///
    /// The contents of the open files are saved first, where possible.
    func checkPlace() throws(StoreError)

    /// Does the work that can wait until the completions of the last commit have been called.
    func tidyUp()

    /// Counts the outcomes of a queue's operations that were finished at a moment or later, in the jobs still kept.
    func counts(ofQueue queue: String, finishedSince moment: RecordMoment) throws(StoreError) -> JobCounts

    /// Returns the dependencies of an operation that left results, in the order of the dependencies.
    ///
    /// Whole jobs come last. Arrays and jobs are listed element by element. An operation covered by several dependencies is
    /// listed once, and file names are distinct.
    ///
    /// - Parameter naming: what the files with the results of elements are called by.
    func dependenciesWithResults(
        of operation: OperationID,
        calledBy naming: InputNaming
    ) throws(StoreError) -> [ResultSource]

    /// Returns the finished dependencies of an operation, in the order of the dependencies.
    ///
    /// Arrays and jobs are listed element by element, and an operation covered by several dependencies is listed once.
    func finishedDependencies(of operation: OperationID) throws(StoreError) -> [FinishedDependency]

    /// Returns the addition to a job that has a client's key; nil if there is none.
    func addition(to job: JobNumber, withKey key: String) throws(StoreError) -> AddedPart?

    /// Returns a job, finished or not, with its submission and all records of its operations; nil for a missing job.
    func restoredJob(_ number: JobNumber) throws(StoreError) -> RestoredJob?

    /// Removes finished jobs that need not be kept any more, with all their data, oldest first.
    ///
    /// Each call removes a bounded part, so that other work is not delayed. Jobs on which unfinished jobs depend stay, and so
    /// do jobs with a pending completion hook. The number of a removed job is never reused, but its key may be; its operations
    /// still count in ``StoredState/finished``.
    ///
    /// - Parameters:
    ///   - retention: the limits.
    ///   - pinned: jobs to keep in any case, and jobs whose rows are still being stored.
    ///   - now: the present moment, by the record's own clock.
    /// - Returns: whether there may be more to remove at this moment.
    /// - Throws: ``StoreError`` if the removal cannot be stored; queries then find the same data as before the call.
    func removeFinished(
        beyond retention: Retention,
        except pinned: Set<JobNumber>,
        at now: Timestamp
    ) throws(StoreError) -> Bool

    /// Removes finished jobs at somebody's request, with all their data: all of them, or none.
    ///
    /// The jobs are gone at once; ``removeFinished(beyond:except:at:)`` removes what is left of their data.
    ///
    /// - Parameter used: jobs to keep in any case.
    /// - Returns: ``JobRemoval/removed``, or what keeps one of the jobs.
    /// - Throws: ``StoreError`` if the removal cannot be stored; queries then find the same data as before the call.
    func remove(_ jobs: Set<JobNumber>, except used: Set<JobNumber>) throws(StoreError) -> JobRemoval

    /// Returns how many operations of the jobs that were removed since the last call had failed, by the minute of their end.
    func takeRemovedFailures() -> [Int64: Int]

    /// Opens a second way to the committed data, which another thread may use beside the store; nil if only the store itself
    /// can read the record.
    func makeReader() throws(StoreError) -> sending (any RecordReader)?

    /// How long after a commit the store has to prove that it may still write, if nothing is written meanwhile; nil for a record that
    /// one host alone can open.
    var proofInterval: Duration? { get }

    /// Proves that the store may still write the record, by a commit that changes nothing.
    ///
    /// - Throws: ``StoreError`` with ``StoreError/Code/deposed`` if another coordinator leads on the record now.
    func prove() throws(StoreError)

    /// Called by the store within a call, on the thread of the call, after each commit that proves that it may still write.
    ///
    /// The moment is one of lease time, which also counts while the host is suspended, from before the commit was sent.
    var onProof: (@Sendable (Timestamp) -> Void)? { get set }

    /// Called by the store within a call that waits for a lost connection, on the thread of the call.
    var onTrouble: (@Sendable (StoreError) -> Void)? { get set }

    /// Returns what ends such a wait, from any thread and for all later calls, which then throw; nil for a store that never waits.
    func makeInterrupt() -> (@Sendable () -> Void)?
}

/// A record that one host alone can open needs no proofs.
@_spi(Baton) extension Store {
    /// No proof is due.
    public var proofInterval: Duration? { nil }

    /// Does nothing: the lock of the record is proof enough.
    public func prove() throws(StoreError) {}

    /// Nobody is called.
    public var onProof: (@Sendable (Timestamp) -> Void)? {
        get { nil }
        set {}
    }

    /// Nobody is called.
    public var onTrouble: (@Sendable (StoreError) -> Void)? {
        get { nil }
        set {}
    }

    /// No call waits.
    public func makeInterrupt() -> (@Sendable () -> Void)? { nil }
}

@_spi(Baton) extension Store {
    /// Opens the record for a coordinator whose incarnation does not matter.
    public func open() throws(StoreError) -> StoredState {
        var random = SystemRandomNumberGenerator()
        return try open(as: .random(using: &random))
    }
}
