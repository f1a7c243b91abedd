public import BatonOperations

/// The record: what was told to anybody as having happened, and what a restarted coordinator goes on from.
///
/// A store is used by one thread at a time; ``Recorder`` gives it a thread of its own. Every store passes the same list of
/// tests.
public protocol Store: AnyObject {
    /// Raises the epoch on disk, keeps the incarnation that the coordinator has drawn for it, and returns everything that a
    /// starting coordinator needs.
    func open(as incarnation: Incarnation) throws(StoreError) -> StoredState

    /// Keeps all changes, durably, or none of them.
    ///
    /// A record of an operation replaces what older ones said of it, also where those were about its neighbours too. Events
    /// come in the order of their numbers, each above all that were kept before.
    ///
    /// - Throws: ``StoreError`` where they cannot be kept; the store is then as it was before the call.
    func commit(_ changes: [RecordChange]) throws(StoreError)

    /// Does what can wait until those who waited for the last commit have been told.
    func tidyUp()

    /// The job that a client's key stands for.
    func job(withKey key: String) throws(StoreError) -> JobSummary?

    /// One job.
    func job(_ number: JobNumber) throws(StoreError) -> JobSummary?

    /// A page of jobs, newest first, with numbers below `before` (nil: from the newest).
    func jobs(before: JobNumber?, limit: Int) throws(StoreError) -> [JobSummary]

    /// The jobs that are retries of a job, oldest first.
    func retries(of job: JobNumber) throws(StoreError) -> [JobNumber]

    /// A page of a job's operations in the order of their indices, from an index on.
    func operations(of job: JobNumber, from index: UInt32, limit: Int) throws(StoreError) -> [StoredOperation]

    /// How the operations of a queue ended that were finished at a moment or later, as far as their jobs are kept.
    func counts(ofQueue queue: String, finishedSince moment: RecordMoment) throws(StoreError) -> JobCounts

    /// The indices that a name stands for, one or an array's; nil where the job has none of it.
    func operations(named name: String, in job: JobNumber) throws(StoreError) -> Range<UInt32>?

    /// What has become of a finished operation or job; nil where it does not exist or is not finished.
    func settled(_ address: Address) throws(StoreError) -> SettledDependency?

    /// What an attempt printed, as far as the record has it; nil for the attempt means the last one that left anything.
    ///
    /// - Returns: nil where the attempt printed nothing and left no result, as for an attempt that never was.
    func output(of operation: OperationID, attempt: UInt32?) throws(StoreError) -> AttemptOutput?

    /// The result that the last attempt of an operation left; nil where the operation's record does not say that it has one.
    func result(of operation: OperationID) throws(StoreError) -> [UInt8]?

    /// The dependencies of an operation that left results, in the order of the dependencies, those on whole jobs last, an
    /// array's or job's elements one by one; an operation that is meant by several dependencies is given once, and no two
    /// have the same file name.
    func dependenciesWithResults(of operation: OperationID) throws(StoreError) -> [ResultSource]

    /// A job with its submission and all that is known of its operations, finished or not; nil where it does not exist.
    func restoredJob(_ number: JobNumber) throws(StoreError) -> RestoredJob?

    /// What happened after an event's number, in order, as far as it is kept.
    ///
    /// - Parameter limit: about how many numbers they may take; an event that takes several is never cut.
    /// - Returns: events of which the first may have begun before; empty where nothing has happened since.
    func events(after number: UInt64, limit: Int) throws(StoreError) -> [ClusterEvent]

    /// Removes finished jobs that need not be kept any more with all that belongs to them, oldest first, a bounded part at a
    /// time: others are not held up.
    ///
    /// What unfinished jobs depend on stays, and what has a completion hook that is still to be run. The number of a removed job
    /// is never given again, its key may be; its operations still count in ``StoredState/finished``.
    ///
    /// - Parameters:
    ///   - retention: how much is kept.
    ///   - pinned: jobs that stay in any case.
    ///   - now: the present moment, by the record's own clock.
    /// - Returns: whether there may be more to remove at this moment.
    /// - Throws: ``StoreError`` where the removal cannot be kept; what is found is as it was before the call then.
    func removeFinished(
        beyond retention: Retention,
        except pinned: Set<JobNumber>,
        at now: Timestamp
    ) throws(StoreError) -> Bool

    /// Closes the record; nothing may be asked of it afterwards.
    func close()
}

extension Store {
    /// Opens it for a coordinator whose incarnation does not matter.
    public func open() throws(StoreError) -> StoredState {
        var random = SystemRandomNumberGenerator()
        return try open(as: .random(using: &random))
    }
}
