/// One change of the cluster in the stream of events for watching clients (OB10).
@_spi(Baton) public struct ClusterEvent: Hashable, Sendable {
    /// A change of an operation.
    public enum OperationChange: Hashable, Sendable {
        /// The operation entered a state; a finished operation has an outcome.
        ///
        /// The attempt is the number of the last attempt, 0 if the operation never ran; the worker is the worker of that
        /// attempt.
        case state(OperationState, outcome: Outcome?, attempt: UInt32, worker: String?)
        /// The cancellation of the operation was requested.
        case cancelled
        /// A user held the operation, or released it.
        case held(Bool)
        /// A user paused the executing operation, or continued it.
        case paused(Bool)
        /// A user sent the processes of the operation a signal.
        case signalled(OperationSignal)
        /// The operation got another priority.
        case priority(Priority)
        /// The dependencies changed.
        case dependencies
        /// The operation got another command.
        case commands
        /// The operation reported its progress.
        case progress(OperationProgress)

        /// Whether somebody asks for changes of this kind.
        var isRequested: Bool {
            switch self {
            case .cancelled, .held, .paused, .signalled, .priority, .dependencies, .commands: true
            case .state, .progress: false
            }
        }
    }

    /// The subject of an event; indirect, so that copies of events are cheap.
    public indirect enum Subject: Hashable, Sendable {
        /// An operation, or several neighbouring operations of a job and a queue with the same change.
        case operations(OperationID, count: UInt32, OperationChange)
        /// A job was submitted with this number of operations.
        case jobSubmitted(JobNumber, operations: UInt32)
        /// Operations were added to an open job, from an index on.
        case operationsAdded(JobNumber, first: UInt32, count: UInt32)
        /// A job takes no further operations.
        case jobClosed(JobNumber)
        /// The last operation of a job was finished.
        case jobFinished(JobNumber, JobCounts)
        /// A queue was created or changed.
        case queue(String, QueueSettings)
        /// A queue was deleted.
        case queueDeleted(String)
        /// A worker came, fell silent, or went.
        case worker(String, WorkerCondition)
        /// Somebody asked for something to be done with a worker.
        case workerRequest(String, WorkerRequest)
        /// A schedule was changed, or skipped one of its times.
        case schedule(String, ScheduleNews)
        /// A limit that several queues share was set or removed.
        case limit(LimitChange)
        /// The clock of the coordinator's host was set, or the host was suspended: shown times differ by so much from then on.
        case clockStepped(Duration)
        /// The coordinator goes on without a part of its record: so many jobs and commits are missing, 0 if nobody knows.
        case recordIncomplete(jobs: UInt64, commits: UInt64)

        /// Whether somebody asks for changes of this kind; other changes follow from what has happened.
        public var isRequested: Bool {
            switch self {
            case .jobSubmitted, .operationsAdded, .jobClosed, .queue, .queueDeleted, .workerRequest, .limit: true
            case .operations(_, _, let change): change.isRequested
            case .schedule(_, let news): news.isRequested
            case .jobFinished, .worker, .clockStepped, .recordIncomplete: false
            }
        }
    }

    /// The number of the event, from 1.
    ///
    /// An event about several operations takes a number for each operation; this is the first of them.
    public var sequence: UInt64
    /// The time of the change.
    ///
    /// The times of starts and ends of attempts come from workers, whose reports may arrive late. The times therefore follow
    /// the order of the numbers for the states of one operation, but only roughly for all events.
    public var time: Timestamp
    /// Who asked for the change, such as the name of a key; nil if nobody is known, and unless ``Subject/isRequested``.
    public var by: String? { requester?.text }
    private let requester: RequesterName?
    /// The changed part of the cluster.
    public var subject: Subject

    /// Describes a change.
    public init(sequence: UInt64, time: Timestamp, by: String? = nil, subject: Subject) {
        self.init(sequence: sequence, time: time, requester: by.map { RequesterName($0) }, subject: subject)
    }

    /// Describes a change with a shared name of who asked for it.
    public init(sequence: UInt64, time: Timestamp, requester: RequesterName?, subject: Subject) {
        self.sequence = sequence
        self.time = time
        self.requester = requester
        self.subject = subject
    }

    /// How many numbers the event takes.
    public var count: UInt64 {
        if case .operations(_, let count, _) = subject { UInt64(count) } else { 1 }
    }
}
