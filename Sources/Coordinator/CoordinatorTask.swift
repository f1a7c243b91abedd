import BatonOperations
import BatonStore
import BatonWire

/// How the coordinator goes on once it was told what it asked the record.
enum CoordinatorTask: Sendable {
    /// Send an answer that was read from the record.
    case answer([UInt8], to: ReplyAddress)
    /// Send inputs that were read from the record to a worker, where its session still counts, and go on with the rest of
    /// them when it has read those.
    case sendInputs([UInt8], UnsentInputs, hasMore: Bool)
    /// The inputs that a worker waits for could not be read; they are to be read again.
    case inputsUnread(UnsentInputs)
    /// A submission for which the record was asked: it is to go on, or is answered already.
    case submission(Result<LookedUpSubmission, SubmissionAnswer>, key: String?, from: ReplyAddress)
    /// A submission for which the record could not be asked.
    case submissionUnread(LookedUpSubmission, StoreError, from: ReplyAddress)
    /// A change of operations whose addresses all exist.
    case change(OperationChange, [Target], from: ReplyAddress)
    /// A change of dependencies for which the record was asked.
    case dependencies(DependencyRequest, from: ReplyAddress)
    /// A wait whose addresses all exist; one for a queue with its beginning.
    case wait([Target], atMost: Duration, by: OperationID?, since: RecordMoment?, from: ReplyAddress)
    /// What failed in a job is to be submitted again.
    case retry(ValidatedSubmission, from: ReplyAddress)
    /// Events that were read for a client that watches, or could not be.
    case events(Result<[ClusterEvent], StoreError>, WatchRegistry.Watch)
    /// A request for output whose operation was looked up.
    case log(LogRequest, from: ReplyAddress)
    /// Some of what need not be kept was removed, and there may be more of it; or it could not be.
    case removed(Result<Bool, StoreError>)
}

/// What a submission is answered without having been handed to the scheduler.
struct SubmissionAnswer: Error {
    /// The answer.
    var reply: Reply
}

/// A submission together with what the record says of what it refers to.
struct LookedUpSubmission: Sendable {
    /// What is submitted, names of finished operations being resolved.
    var validated: ValidatedSubmission
    /// What has become of finished dependencies.
    var settled: [Address: SettledDependency] = [:]
    /// Whether the record was asked for the key, and has no job with it.
    var isKeyNew = false

    /// The submission itself.
    var submission: Submission { validated.submission }

    /// Nothing was looked up yet.
    init(_ validated: ValidatedSubmission) {
        self.validated = validated
    }
}

/// A piece of output that a client wants of what the record knows.
struct LogRequest: Sendable {
    /// The operation.
    var operation: OperationID
    /// What the record knows of it.
    var record: OperationRecord
    /// Which attempt is meant.
    var attempt: UInt32
    /// The end of the stream, as the record has it; nil where the attempt left nothing there.
    var tail: OutputTail?
    /// Which stream.
    var stream: OutputStream
    /// Where the piece is to start.
    var offset: UInt64
    /// How many bytes it may have.
    var limit: UInt32
}
