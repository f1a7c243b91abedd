/// One change of the cluster in the stream that can be watched (OB10).
public struct ClusterEvent: Hashable, Sendable {
    /// What changed of an operation.
    public enum OperationChange: Hashable, Sendable {
        /// It came into a state; a finished one with its outcome. The attempt is the last one, 0 where it never ran; the worker
        /// is that of the attempt.
        case state(OperationState, outcome: Outcome?, attempt: UInt32, worker: String?)
        /// Its cancellation was asked for.
        case cancelled
        /// Somebody holds it, or has released it.
        case held(Bool)
        /// It has another level.
        case level(Priority)
        /// Its dependencies were changed.
        case dependencies
        /// It told how much of it is done.
        case progress(OperationProgress)
    }

    /// What changed.
    public enum Subject: Hashable, Sendable {
        /// An operation; more than one where neighbouring elements of an array changed alike.
        case operations(OperationID, count: UInt32, OperationChange)
        /// A job was submitted with so many operations.
        case jobSubmitted(JobNumber, operations: UInt32)
        /// The last operation of a job was finished.
        case jobFinished(JobNumber, JobCounts)
        /// A queue was made or set.
        case queue(String, QueueSettings)
        /// A worker came, was silent, or went.
        case worker(String, WorkerCondition)
    }

    /// Its number, from 1; one that is about several operations takes a number for each of them, this being the first.
    public var sequence: UInt64
    /// When it happened.
    ///
    /// Attempts start and end when their workers say so. So the times of events stand in the order of the numbers as far as one
    /// operation's states go, and else only nearly: what happened first may be heard of later.
    public var time: Timestamp
    /// What changed.
    public var subject: Subject

    /// Describes a change.
    public init(sequence: UInt64, time: Timestamp, subject: Subject) {
        self.sequence = sequence
        self.time = time
        self.subject = subject
    }

    /// How many numbers it takes.
    public var count: UInt64 {
        if case .operations(_, let count, _) = subject { UInt64(count) } else { 1 }
    }
}
