public import Operations

/// The record: what was told to anybody as having happened, and what a restarted coordinator goes on from.
///
/// A store is used by one thread at a time; ``Recorder`` gives it a thread of its own. Every store passes the same list of
/// tests.
public protocol Store: AnyObject {
    /// Raises the epoch on disk and returns everything that a starting coordinator needs.
    func open() throws(StoreError) -> StoredState

    /// Keeps all changes, durably, or none of them.
    ///
    /// - Throws: ``StoreError`` where they cannot be kept; the store is then as it was before the call.
    func commit(_ changes: [RecordChange]) throws(StoreError)

    /// The job that a client's key stands for.
    func job(withKey key: String) throws(StoreError) -> JobSummary?

    /// One job.
    func job(_ number: JobNumber) throws(StoreError) -> JobSummary?

    /// A page of jobs, newest first, with numbers below `before` (nil: from the newest).
    func jobs(before: JobNumber?, limit: Int) throws(StoreError) -> [JobSummary]

    /// A page of a job's operations in the order of their indices, from an index on.
    func operations(of job: JobNumber, from index: UInt32, limit: Int) throws(StoreError) -> [StoredOperation]

    /// The index of the operation with a name; nil where the job has none of it. An array's name stands for its first element.
    func operation(named name: String, in job: JobNumber) throws(StoreError) -> OperationID?

    /// What has become of a finished operation or job; nil where it does not exist or is not finished.
    func settled(_ address: Address) throws(StoreError) -> SettledDependency?

    /// What an attempt printed, as far as the record has it; nil for the attempt means the last one that left anything.
    func output(of operation: OperationID, attempt: UInt32?) throws(StoreError) -> AttemptOutput?

    /// The result that an operation left; nil where it left none.
    func result(of operation: OperationID) throws(StoreError) -> [UInt8]?

    /// The dependencies of an operation that left results, in the order of the dependencies, an array's or job's elements
    /// one by one.
    func dependenciesWithResults(of operation: OperationID) throws(StoreError) -> [ResultSource]

    /// Closes the record; nothing may be asked of it afterwards.
    func close()
}

/// What a starting coordinator finds in the record.
public struct StoredState: Sendable {
    /// The epoch of this start, already raised on disk; from 1.
    public var epoch: UInt32
    /// The number that the next job gets.
    public var nextJob: JobNumber
    /// All queues that were ever made.
    public var queues: [String: QueueSettings]
    /// The unfinished jobs, oldest first.
    public var jobs: [RestoredJob]
    /// What unfinished operations depend on and is finished in other jobs.
    public var settled: [Address: SettledDependency]
    /// How the operations of all finished jobs ended.
    public var finished: JobCounts

    /// Describes what was found.
    public init(
        epoch: UInt32,
        nextJob: JobNumber,
        queues: [String: QueueSettings] = [:],
        jobs: [RestoredJob] = [],
        settled: [Address: SettledDependency] = [:],
        finished: JobCounts = JobCounts()
    ) {
        self.epoch = epoch
        self.nextJob = nextJob
        self.queues = queues
        self.jobs = jobs
        self.settled = settled
        self.finished = finished
    }
}

/// A job as a list shows it.
public struct JobSummary: Hashable, Sendable {
    /// The job's number.
    public var number: JobNumber
    /// Its name, where it has one.
    public var name: String?
    /// The queue of its first operation.
    public var queue: String
    /// How many operations it has.
    public var operations: Int
    /// When the coordinator took it.
    public var submittedAt: Timestamp
    /// When its last operation was finished; nil while it is not.
    public var finishedAt: Timestamp?
    /// How its operations ended; nil while it is not finished.
    public var counts: JobCounts?

    /// Describes a job.
    public init(
        number: JobNumber,
        name: String?,
        queue: String,
        operations: Int,
        submittedAt: Timestamp,
        finishedAt: Timestamp? = nil,
        counts: JobCounts? = nil
    ) {
        self.number = number
        self.name = name
        self.queue = queue
        self.operations = operations
        self.submittedAt = submittedAt
        self.finishedAt = finishedAt
        self.counts = counts
    }
}

/// An operation as the record has it.
public struct StoredOperation: Hashable, Sendable {
    /// What is known of it; for one that nothing happened to yet, a fresh ``OperationRecord`` of count 1. A record of several
    /// elements is given for each of them singly.
    public var record: OperationRecord
    /// The name of its entry, where it has one.
    public var name: String?
    /// Its queue.
    public var queue: String
    /// Its level.
    public var priority: Priority
    /// Its own class; nil is unset.
    public var qualityOfService: QualityOfService?
    /// What it does.
    public var work: Work
    /// The dependencies of its entry: `.existing` throughout, an array of the same job being given as its first element's
    /// address together with its size.
    public var dependencies: [StoredDependency]
    /// The number and item of the array's element; nil where it is none.
    public var arrayItem: String?
    /// When its job was submitted.
    public var submittedAt: Timestamp

    /// Describes an operation.
    public init(
        record: OperationRecord,
        name: String?,
        queue: String,
        priority: Priority,
        qualityOfService: QualityOfService?,
        work: Work,
        dependencies: [StoredDependency],
        arrayItem: String?,
        submittedAt: Timestamp
    ) {
        self.record = record
        self.name = name
        self.queue = queue
        self.priority = priority
        self.qualityOfService = qualityOfService
        self.work = work
        self.dependencies = dependencies
        self.arrayItem = arrayItem
        self.submittedAt = submittedAt
    }
}

/// A dependency of a stored operation.
public struct StoredDependency: Hashable, Sendable {
    /// An operation (of any job; of an array, its first element), or a whole job.
    public var target: Address
    /// How many operations with consecutive indices it stands for; 1 for a single one, 0 for a whole job.
    public var count: UInt32
    /// How it has to end.
    public var condition: DependencyCondition

    /// Describes a dependency.
    public init(target: Address, count: UInt32, condition: DependencyCondition) {
        self.target = target
        self.count = count
        self.condition = condition
    }
}

/// A dependency that left a result, and the name under which the dependent sees it.
public struct ResultSource: Hashable, Sendable {
    /// Who left it.
    public var operation: OperationID
    /// The file's name (`BATON_INPUTS`): the name, or the index where it has none; of an array's element `NAME.INDEX`, with
    /// its position in the array; of another job, `JOB.` before it.
    public var fileName: String

    /// Describes a source.
    public init(operation: OperationID, fileName: String) {
        self.operation = operation
        self.fileName = fileName
    }
}

/// Why the record could not be read or written, in a sentence.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of trouble it is.
    public enum Kind: Hashable, Sendable {
        /// Another coordinator uses the same record.
        case inUse
        /// The file or its directory cannot be opened or written.
        case notAccessible
        /// The disk is full.
        case full
        /// The file is not a record, is damaged, or is of a version that this build does not know.
        case unreadable
        /// Anything else that SQLite reports.
        case other
    }

    /// What kind of trouble it is.
    public var kind: Kind
    /// What happened, to which file, and what to do.
    public var description: String

    /// Describes the trouble.
    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
