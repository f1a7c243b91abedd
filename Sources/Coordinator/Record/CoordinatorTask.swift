@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire

/// The next step after an answer from the record.
enum CoordinatorTask: Sendable {
    /// Send a reply that was read from the record.
    case answer(PreparedReply, to: ReplyAddress)
    /// Send inputs from the record to a worker, if the session is still current, and continue with the remaining inputs once
    /// the worker has read these.
    case sendInputs([UInt8], UnsentInputs, hasMore: Bool)
    /// Keep inputs that could not be read, to read the inputs again later.
    case inputsUnread(UnsentInputs)
    /// Continue with a submission after a lookup, or send the reply that the lookup produced.
    case submission(Result<LookedUpSubmission, SubmissionReply>, key: String?, from: ReplyAddress)
    /// Refuse a submission whose lookup failed, unless its key is in the record.
    case submissionUnread(LookedUpSubmission, StoreError, from: ReplyAddress)
    /// Continue with a submission that comes into the record in parts, after one of them.
    case partStored(Result<JobParts, StoreError>, LookedUpSubmission, JobNumber, from: ReplyAddress)
    /// Continue with an addition to a job after a lookup.
    case addition(LookedUpSubmission, to: JobNumber, from: ReplyAddress)
    /// Change operations whose addresses all exist.
    case change(OperationChange, [Target], from: ReplyAddress)
    /// Continue with a change of dependencies after a lookup.
    case dependencies(DependencyRequest, from: ReplyAddress)
    /// Start a wait whose addresses all exist; a wait for a queue comes with the moment of its beginning.
    case wait(
        [Target],
        atMost: Duration,
        by: OperationID?,
        since: RecordMoment?,
        partial: Bool,
        outputs: Bool,
        from: ReplyAddress
    )
    /// Submit the retried operations of a job, in parts if there are many, if the condition holds.
    case retry(ValidatedSubmission, UnlessRetried?, JobParts?, from: ReplyAddress)
    /// Refuse another retry of a job: the last retry, with its counts if it was finished.
    case retried(JobNumber, as: JobNumber, JobCounts?, from: ReplyAddress)
    /// Send events, or the error of the reading, to a client that watches.
    case events(Result<EventPage, StoreError>, WatchRegistry.Watch)
    /// Continue with a request for output after the lookup of the operation.
    case log(LogRequest, from: ReplyAddress)
    /// Ask for a piece of a file that was looked up.
    case filePiece(PieceRequest.WantedFile, offset: UInt64, limit: UInt32, from: ReplyAddress)
    /// Note the end of a removal: whether more jobs may have to be removed, and the number of failed operations by minute, or the error.
    case removed(Result<(Bool, failures: [Int64: Int]), StoreError>)
    /// Answer a request to delete some jobs: the obstacle if there is one, and the number of failed operations by minute, or the error.
    case deleted(Result<(JobRemoval, failures: [Int64: Int]), StoreError>, [JobNumber], for: ReplyAddress)
    /// Answer a request for files in the record, with the workers that keep them.
    case files(FilesPage, for: ReplyAddress)
    /// Answer a piece of a sent file that has no room: with a request to send the file again if others give way, and else with a refusal.
    case makeRoom(bytes: UInt64, otherwise: Refusal, for: ReplyAddress)
}

/// The reply to a submission that never reaches the scheduler.
struct SubmissionReply: Error {
    /// The reply.
    var reply: Reply
}

/// A submission, with the record's data about its key and its dependencies.
struct LookedUpSubmission: Sendable {
    /// The validated submission; names of finished operations are replaced by their addresses.
    var validated: ValidatedSubmission
    /// The outcomes of finished dependencies.
    var ends: [Address: DependencyEnd] = [:]
    /// The files that finished dependencies left.
    var files: [FileSource] = []
    /// Whether the record has been asked for the key, and has no job with the key.
    var isKeyNew = false
    /// The condition of a retry; nil if there is none.
    var condition: UnlessRetried?
    /// How far the job has come into the record; nil for a job that comes as a whole.
    var arrival: Arrival?
    /// Whether the record has been asked for the results that the operations take from an earlier job.
    var isReuseKnown = false
    /// The files of the operations of the earlier job whose results are taken.
    var reusedFiles: [FileSource] = []
    /// The indices of operations of the earlier job that are not taken over, since nobody keeps their files any more.
    var lostSources: Set<UInt32> = []

    /// The submission itself.
    var submission: Submission { validated.submission }

    /// Wraps a submission before any lookup.
    init(_ validated: ValidatedSubmission, _ condition: UnlessRetried? = nil, in parts: JobParts? = nil) {
        self.validated = validated
        self.condition = condition
        // The earlier job must not be removed before the results are copied, nor sent files before they are used, and parts take long.
        let isWhole = validated.submission.settings.reuse != nil || validated.submission.sent != nil
        arrival = isWhole ? nil : parts.map { Arrival(parts: $0) }
    }
}

/// A client's request for output, with the record's data about the attempt.
struct LogRequest: Sendable {
    /// The operation.
    var operation: OperationID
    /// Whether the attempt has ended.
    var isOver: Bool
    /// The token of the attempt; nil if none is known.
    var token: RecordToken?
    /// The worker of the attempt; nil if none is known.
    var worker: String?
    /// The end of the stream in the record; nil if the attempt left no output.
    var tail: OutputTail?
    /// The stream to read.
    var stream: OutputStream
    /// The offset of the first byte.
    var offset: UInt64
    /// The most bytes of the reply.
    var limit: UInt32
}
