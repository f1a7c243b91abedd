@_spi(Baton) public import BatonOperations

/// The questions that read the record without a change of the record.
///
/// One thread at a time uses a reader. A ``Store`` is a reader of its own data, and may open further readers for other threads.
@_spi(Baton) public protocol RecordReader: AnyObject {
    /// Returns the job with a client's key.
    func job(withKey key: String) throws(StoreError) -> JobSummary?

    /// Returns one job.
    func job(_ number: JobNumber) throws(StoreError) -> JobSummary?

    /// Returns a page of jobs, newest first, with numbers below `before` (nil: from the newest).
    func jobs(before: JobNumber?, limit: Int) throws(StoreError) -> [JobSummary]

    /// Returns the jobs that have all of some tags, newest first, with numbers below `before` (nil: from the newest).
    ///
    /// The result may have fewer jobs than `limit` although there are more: see ``TaggedJobs/next``.
    ///
    /// - Parameter tags: values by key; none finds no job.
    func jobs(tagged tags: [String: String], before: JobNumber?, limit: Int) throws(StoreError) -> TaggedJobs

    /// Counts the jobs with numbers below `before`.
    func jobCount(before: JobNumber) throws(StoreError) -> Int

    /// Returns the sizes of the record's files; nil for a record without files.
    func size() throws(StoreError) -> RecordSize?

    /// Returns the names of the queues that a job's operations are in, in the order of their first use; empty for a missing job.
    func queues(of job: JobNumber) throws(StoreError) -> [String]

    /// Returns the retries of a job, oldest first.
    func retries(of job: JobNumber) throws(StoreError) -> [JobNumber]

    /// Returns a job, finished or not, with what a retry needs to know of its operations; nil for a missing job.
    ///
    /// - Complexity: O(its entries and rows of operations): elements of an array that ended alike have one row.
    func jobToRetry(_ number: JobNumber) throws(StoreError) -> JobToRetry?

    /// Returns the end of a finished operation or job; nil if missing or unfinished.
    func dependencyEnd(of address: Address) throws(StoreError) -> DependencyEnd?

    /// Returns an array on whose elements others may depend one by one; nil if it does not exist.
    func elements(of address: Address) throws(StoreError) -> StoredElements?

    /// Returns the job that an addition with a client's key was made to; nil if there is none.
    func jobOfAddition(withKey key: String) throws(StoreError) -> JobNumber?

    /// Returns a page of a job's operations in the order of their indices, from an index on.
    func operations(of job: JobNumber, from index: UInt32, limit: Int) throws(StoreError) -> [StoredOperation]

    /// Returns the finished operations among consecutive operations of a job that meet the conditions of a filter, in order.
    ///
    /// The conditions for states are not among them: what the record has as unfinished is left out.
    func finishedOperations(
        of job: JobNumber,
        in indices: Range<UInt32>,
        meeting filter: ListFilter
    ) throws(StoreError) -> [Range<UInt32>]

    /// Returns the operations among consecutive operations of a job that are in a queue and have a matching name, in order.
    ///
    /// - Parameters:
    ///   - name: a pattern for the name; nil for any name or none.
    ///   - queue: the queue; nil for any.
    func operations(
        of job: JobNumber,
        in indices: Range<UInt32>,
        named name: NameGlob?,
        inQueue queue: String?
    ) throws(StoreError) -> [Range<UInt32>]

    /// Returns the indices of the operation or array with a name; nil if the job has no such name.
    func operations(named name: String, in job: JobNumber) throws(StoreError) -> Range<UInt32>?

    /// Returns the operations and arrays with names, in the order of their indices, from the one that has an index on.
    func names(of job: JobNumber, from index: UInt32, limit: Int) throws(StoreError) -> [NamedOperations]

    /// Returns a part of a job as it was submitted, from an index on; nil for a missing job.
    ///
    /// - Parameter limit: the most entries and items of arrays; an array of numbers counts as one.
    func submittedPart(of job: JobNumber, from index: UInt32, limit: Int) throws(StoreError) -> SubmittedPart?

    /// Returns the attempts of an operation that ended before the operation, oldest first; the last
    /// ``AttemptRecord/maximumCount`` of them, empty for a missing operation.
    func attempts(of operation: OperationID) throws(StoreError) -> [AttemptRecord]

    /// Returns what is known of the completion hook of a finished operation, or of a job; nil if it has none.
    func hook(of operation: OperationID) throws(StoreError) -> StoredHook?

    /// Returns the groups of a job's failed operations, the largest first; the number of a group is its place, from 1.
    func failureGroups(of job: JobNumber) throws(StoreError) -> [FailureGroup]

    /// Returns a job's first failed operations from an index on, in order.
    func failures(of job: JobNumber, from index: UInt32, limit: Int) throws(StoreError) -> [UInt32]

    /// Returns the operations in the group with a number, in order; nil if the job has no such group.
    func failures(of job: JobNumber, inGroup number: Int) throws(StoreError) -> [Range<UInt32>]?

    /// Returns the recorded output of an attempt; nil for the attempt means the last attempt with any output or result.
    ///
    /// - Returns: nil if the attempt left no output and no result, or never existed.
    func output(of operation: OperationID, attempt: UInt32?) throws(StoreError) -> AttemptOutput?

    /// Passes the recorded outputs of a job's operations to a closure, in the order of the operations and their attempts, without
    /// results; the closure returns whether to go on.
    ///
    /// An attempt that printed nothing is left out.
    func outputs(
        of job: JobNumber,
        matching query: OutputQuery,
        _ body: (UInt32, AttemptOutput) -> Bool
    ) throws(StoreError)

    /// Returns the attempts of a job's operations whose output was lost with their workers, in the order of the operations and
    /// their attempts.
    ///
    /// - Parameter limit: the most attempts.
    func lostOutputs(
        of job: JobNumber,
        in operations: Range<UInt32>,
        limit: Int
    ) throws(StoreError) -> [LostOutput]

    /// Returns the files of an operation, in the order of their paths; empty for a missing operation.
    func files(of operation: OperationID) throws(StoreError) -> [KeptFile]

    /// Returns the file of an operation with a path; nil if there is none.
    func file(of operation: OperationID, path: String) throws(StoreError) -> KeptFile?

    /// Returns a page of the files of some operations of a job, in the order of the operations and their paths.
    ///
    /// - Parameter place: the number of files before the page.
    func files(
        ofJob job: JobNumber,
        in operations: ClosedRange<UInt32>,
        from place: Int,
        limit: Int
    ) throws(StoreError) -> [StoredFile]

    /// Returns how many files some operations of a job left, and how long they are together.
    func sizeOfFiles(ofJob job: JobNumber, in operations: ClosedRange<UInt32>) throws(StoreError) -> FilesSize

    /// Returns the files of some operations; an operation without files is left out.
    func fileSources(of operations: [OperationID]) throws(StoreError) -> [FileSource]

    /// Returns the files of the operations that an address denotes, in their order; an operation without files is left out.
    func fileSources(of address: Address) throws(StoreError) -> [FileSource]

    /// Returns what the dependencies of an operation left, in the order of the dependencies; whole jobs come last.
    ///
    /// The results are those of ``Store/dependenciesWithResults(of:calledBy:)``.
    ///
    /// - Parameter naming: what the inputs from elements are called by.
    func inputs(of operation: OperationID, calledBy naming: InputNaming) throws(StoreError) -> OperationInputs

    /// Returns what the attempts of an operation used, by the number of the attempt; attempts without processes are left out.
    func usages(of operation: OperationID) throws(StoreError) -> [UInt32: AttemptUsage]

    /// Returns what the finished operations of a job took, in sums; empty for a missing job.
    func runSummary(of job: JobNumber) throws(StoreError) -> RunSummary

    /// Returns the chain of operations for which the end of a job waited; empty for a missing job.
    func criticalPath(of job: JobNumber) throws(StoreError) -> CriticalPath

    /// Returns a part of a job's history, from an index on; nil for a missing job.
    ///
    /// The part has each finished operation. Unfinished operations may be missing: the scheduler has their state.
    ///
    /// - Parameter limit: the most operations. The part is shorter where its attempts or dependencies would exceed the numbers of
    ///   ``HistoryPage``.
    func history(of job: JobNumber, from index: UInt32, limit: Int) throws(StoreError) -> HistoryPart?

    /// Returns the queue of an operation, with the neighbours of the same entry; nil for a missing operation.
    func queue(of operation: OperationID) throws(StoreError) -> QueueMembers?

    /// Returns the events after a number, in order, as far as they are kept.
    ///
    /// - Parameter limit: the approximate count of event numbers to return; an event with several numbers is never cut.
    /// - Returns: events, of which the first may begin at or before the number; empty if nothing has happened since.
    func events(after number: UInt64, limit: Int) throws(StoreError) -> [ClusterEvent]

    /// Returns the result of an operation, that of its last attempt which left one; nil if the operation has no result by its record.
    func result(of operation: OperationID) throws(StoreError) -> [UInt8]?

    /// Runs a body whose questions are all answered from the data of one moment.
    ///
    /// - Parameter body: reads a page at most: the record keeps the replaced data of a moment for as long as a body reads it.
    func atOneMoment(_ body: () -> Void)

    /// Closes the record; no other call may follow.
    func close()
}
