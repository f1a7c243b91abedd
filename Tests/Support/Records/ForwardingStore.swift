@_spi(Baton) package import BatonOperations
@_spi(Baton) package import BatonStore

/// A store in front of another store, with different behaviour in some functions.
package protocol ForwardingStore: Store {
    /// The other store, which implements the remaining functions.
    var base: SQLStore { get }
}

extension ForwardingStore {
    package func open(as incarnation: Incarnation) throws(StoreError) -> StoredState { try base.open(as: incarnation) }

    package func commit(_ changes: [RecordChange]) throws(StoreError) { try base.commit(changes) }

    package func store(_ parts: inout JobParts, of job: JobNumber, rows: Int) throws(StoreError) {
        try base.store(&parts, of: job, rows: rows)
    }

    package func checkPlace() throws(StoreError) { try base.checkPlace() }

    package func tidyUp() { base.tidyUp() }

    package func makeReader() throws(StoreError) -> sending (any RecordReader)? { try base.makeReader() }

    package func atOneMoment(_ body: () -> Void) { base.atOneMoment(body) }

    package func job(withKey key: String) throws(StoreError) -> JobSummary? { try base.job(withKey: key) }

    package func job(_ number: JobNumber) throws(StoreError) -> JobSummary? { try base.job(number) }

    package func jobs(before: JobNumber?, limit: Int) throws(StoreError) -> [JobSummary] {
        try base.jobs(before: before, limit: limit)
    }

    package func operations(
        of job: JobNumber,
        from index: UInt32,
        limit: Int
    ) throws(StoreError) -> [StoredOperation] {
        try base.operations(of: job, from: index, limit: limit)
    }

    package func finishedOperations(
        of job: JobNumber,
        in indices: Range<UInt32>,
        meeting filter: ListFilter
    ) throws(StoreError) -> [Range<UInt32>] {
        try base.finishedOperations(of: job, in: indices, meeting: filter)
    }

    package func operations(
        of job: JobNumber,
        in indices: Range<UInt32>,
        named name: NameGlob?,
        inQueue queue: String?
    ) throws(StoreError) -> [Range<UInt32>] {
        try base.operations(of: job, in: indices, named: name, inQueue: queue)
    }

    package func operations(named name: String, in job: JobNumber) throws(StoreError) -> Range<UInt32>? {
        try base.operations(named: name, in: job)
    }

    package func names(of job: JobNumber, from index: UInt32, limit: Int) throws(StoreError) -> [NamedOperations] {
        try base.names(of: job, from: index, limit: limit)
    }

    package func submittedPart(
        of job: JobNumber,
        from index: UInt32,
        limit: Int
    ) throws(StoreError) -> SubmittedPart? {
        try base.submittedPart(of: job, from: index, limit: limit)
    }

    package func jobs(
        tagged tags: [String: String],
        before: JobNumber?,
        limit: Int
    ) throws(StoreError) -> TaggedJobs {
        try base.jobs(tagged: tags, before: before, limit: limit)
    }

    package func size() throws(StoreError) -> RecordSize? { try base.size() }

    package func queues(of job: JobNumber) throws(StoreError) -> [String] { try base.queues(of: job) }

    package func retries(of job: JobNumber) throws(StoreError) -> [JobNumber] { try base.retries(of: job) }
    package func dependencyEnd(of address: Address) throws(StoreError) -> DependencyEnd? {
        try base.dependencyEnd(of: address)
    }

    package func elements(of address: Address) throws(StoreError) -> StoredElements? {
        try base.elements(of: address)
    }

    package func attempts(of operation: OperationID) throws(StoreError) -> [AttemptRecord] {
        try base.attempts(of: operation)
    }

    package func jobOfAddition(withKey key: String) throws(StoreError) -> JobNumber? {
        try base.jobOfAddition(withKey: key)
    }

    package func hook(of operation: OperationID) throws(StoreError) -> StoredHook? {
        try base.hook(of: operation)
    }

    package func files(of operation: OperationID) throws(StoreError) -> [KeptFile] { try base.files(of: operation) }

    package func file(of operation: OperationID, path: String) throws(StoreError) -> KeptFile? {
        try base.file(of: operation, path: path)
    }

    package func files(
        ofJob job: JobNumber,
        in operations: ClosedRange<UInt32>,
        from place: Int,
        limit: Int
    ) throws(StoreError) -> [StoredFile] { try base.files(ofJob: job, in: operations, from: place, limit: limit) }

    package func sizeOfFiles(
        ofJob job: JobNumber,
        in operations: ClosedRange<UInt32>
    ) throws(StoreError) -> FilesSize { try base.sizeOfFiles(ofJob: job, in: operations) }

    package func fileSources(of operations: [OperationID]) throws(StoreError) -> [FileSource] {
        try base.fileSources(of: operations)
    }

    package func fileSources(of address: Address) throws(StoreError) -> [FileSource] {
        try base.fileSources(of: address)
    }

    package func inputs(
        of operation: OperationID,
        calledBy naming: InputNaming
    ) throws(StoreError) -> OperationInputs { try base.inputs(of: operation, calledBy: naming) }

    package func usages(of operation: OperationID) throws(StoreError) -> [UInt32: AttemptUsage] {
        try base.usages(of: operation)
    }

    package func runSummary(of job: JobNumber) throws(StoreError) -> RunSummary { try base.runSummary(of: job) }

    package func criticalPath(of job: JobNumber) throws(StoreError) -> CriticalPath { try base.criticalPath(of: job) }

    package func history(of job: JobNumber, from index: UInt32, limit: Int) throws(StoreError) -> HistoryPart? {
        try base.history(of: job, from: index, limit: limit)
    }

    package func failureGroups(of job: JobNumber) throws(StoreError) -> [FailureGroup] {
        try base.failureGroups(of: job)
    }

    package func jobCount(before: JobNumber) throws(StoreError) -> Int { try base.jobCount(before: before) }

    package func failures(of job: JobNumber, from index: UInt32, limit: Int) throws(StoreError) -> [UInt32] {
        try base.failures(of: job, from: index, limit: limit)
    }

    package func failures(of job: JobNumber, inGroup number: Int) throws(StoreError) -> [Range<UInt32>]? {
        try base.failures(of: job, inGroup: number)
    }

    package func output(of operation: OperationID, attempt: UInt32?) throws(StoreError) -> AttemptOutput? {
        try base.output(of: operation, attempt: attempt)
    }

    package func outputs(
        of job: JobNumber,
        matching query: OutputQuery,
        _ body: (UInt32, AttemptOutput) -> Bool
    ) throws(StoreError) { try base.outputs(of: job, matching: query, body) }

    package func lostOutputs(
        of job: JobNumber,
        in operations: Range<UInt32>,
        limit: Int
    ) throws(StoreError) -> [LostOutput] { try base.lostOutputs(of: job, in: operations, limit: limit) }

    package func result(of operation: OperationID) throws(StoreError) -> [UInt8]? { try base.result(of: operation) }

    package func dependenciesWithResults(
        of operation: OperationID,
        calledBy naming: InputNaming
    ) throws(StoreError) -> [ResultSource] {
        try base.dependenciesWithResults(of: operation, calledBy: naming)
    }

    package func finishedDependencies(of operation: OperationID) throws(StoreError) -> [FinishedDependency] {
        try base.finishedDependencies(of: operation)
    }

    package func addition(to job: JobNumber, withKey key: String) throws(StoreError) -> AddedPart? {
        try base.addition(to: job, withKey: key)
    }

    package func queue(of operation: OperationID) throws(StoreError) -> QueueMembers? {
        try base.queue(of: operation)
    }

    package func restoredJob(_ number: JobNumber) throws(StoreError) -> RestoredJob? { try base.restoredJob(number) }

    package func jobToRetry(_ number: JobNumber) throws(StoreError) -> JobToRetry? { try base.jobToRetry(number) }

    package func events(after number: UInt64, limit: Int) throws(StoreError) -> [ClusterEvent] {
        try base.events(after: number, limit: limit)
    }

    package func counts(ofQueue queue: String, finishedSince moment: RecordMoment) throws(StoreError) -> JobCounts {
        try base.counts(ofQueue: queue, finishedSince: moment)
    }

    package func removeFinished(
        beyond retention: Retention,
        except pinned: Set<JobNumber>,
        at now: Timestamp
    ) throws(StoreError) -> Bool {
        try base.removeFinished(beyond: retention, except: pinned, at: now)
    }

    package func takeRemovedFailures() -> [Int64: Int] { base.takeRemovedFailures() }

    package func remove(_ jobs: Set<JobNumber>, except used: Set<JobNumber>) throws(StoreError) -> JobRemoval {
        try base.remove(jobs, except: used)
    }
}
