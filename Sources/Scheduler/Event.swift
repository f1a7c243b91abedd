@_spi(Baton) public import BatonOperations

/// An input of the scheduler: a request, a worker's message, a confirmation that changes are on disk, or the passing of time.
@_spi(Baton) public enum Event: Sendable {
    /// A client submits a job; `ends` has the end of each dependency that has left the scheduler's memory.
    ///
    /// With a reserved number, the record already has the rows of the job's operations, and the scheduler may have taken the
    /// operations in turns; see ``arrivalContinued(_:as:entries:)``.
    indirect case submit(
        ValidatedSubmission,
        ends: [Address: DependencyEnd],
        reserved: JobNumber? = nil,
        request: RequestID
    )
    /// The scheduler takes some more templates and entries of a submission that is on its way into the record, under a reserved
    /// number.
    ///
    /// Nobody else finds the job before ``submit(_:ends:reserved:request:)``, which takes what is left. Each entry is taken three
    /// times, and each template once.
    indirect case arrivalContinued(ValidatedSubmission, as: JobNumber, entries: Int)
    /// The submission under a reserved number does not become a job, or has become one.
    case arrivalEnded(JobNumber)
    /// A client adds operations to an open job; `ends` has the end of each dependency that has left the scheduler's memory.
    indirect case add(ValidatedSubmission, to: JobNumber, ends: [Address: DependencyEnd], request: RequestID)
    /// A client closes jobs, which then take no further operations.
    case close([JobNumber], request: RequestID)
    /// A client cancels operations.
    case cancel([OperationSelection], request: RequestID)
    /// A client holds operations that have not started.
    case hold([OperationSelection], request: RequestID)
    /// A client releases held operations.
    case release([OperationSelection], request: RequestID)
    /// A client pauses executing operations.
    case pause([OperationSelection], request: RequestID)
    /// A client continues paused operations.
    case resume([OperationSelection], request: RequestID)
    /// A client sends a signal to the processes of executing operations.
    case signal([OperationSelection], OperationSignal, request: RequestID)
    /// A client changes the priority of waiting operations.
    case setPriority([OperationSelection], Priority, request: RequestID)
    /// A client adds dependencies to an operation; `ends` has the end of each target that has left the scheduler's memory.
    case depend(OperationID, [Dependency], ends: [Address: DependencyEnd], request: RequestID)
    /// A client removes dependencies of an operation; each name except an array's has been replaced by an index.
    case undepend(OperationID, [Address], request: RequestID)
    /// A client adds a program, with its arguments, to an operation that has not started.
    case addCommand(OperationID, [String], request: RequestID)
    /// A running operation reports its progress.
    case reportProgress(OperationID, attempt: UInt32, OperationProgress, request: RequestID)
    /// A client changes a queue.
    case setQueue(QueueChange, request: RequestID)
    /// A client deletes a queue without unfinished operations.
    case deleteQueue(String, request: RequestID)
    /// A client sets or removes a limit that several queues share.
    case setLimit(LimitChange, request: RequestID)
    /// A client asks that workers get nothing new.
    case drain([String], request: RequestID)
    /// A client takes back that workers get nothing new.
    case undrain([String], request: RequestID)
    /// A client asks workers to end; `isImmediate` if what runs is to be ended now.
    case stop([String], isImmediate: Bool, request: RequestID)
    /// A client removes workers from the list that are lost or have left.
    case forget([String], request: RequestID)
    /// A worker joins.
    indirect case workerJoined(WorkerIntroduction)
    /// A worker gives a sign of life.
    case workerHeard(SessionID)
    /// Bytes of a worker's unfinished message arrived last at this time; ignored unless that is news.
    case workerBytesArrived(SessionID, at: Timestamp)
    /// A worker announces that it is about to leave and takes no new work.
    case workerLeaving(SessionID)
    /// A worker leaves.
    case workerLeft(SessionID)
    /// A worker, named, may no longer work, present or absent; the cause is the beginning of a sentence about one of its
    /// operations.
    case workerExpelled(String, because: String)
    /// A worker reports attempts whose code may run from now on.
    case attemptsStarted(SessionID, [AttemptStart])
    /// A worker returns attempts that it has not started and never will start.
    case attemptsReturned(SessionID, [AttemptToken])
    /// A worker reports the progress of running attempts.
    case attemptsProgressed(SessionID, [AttemptProgress])
    /// A worker reports the end of an attempt.
    ///
    /// `age` is the time since the end in microseconds, and `seed` decides the jitter of a retry.
    case attemptEnded(SessionID, AttemptToken, OperationID, AttemptResult, age: Int64 = 0, seed: UInt64)
    /// A worker reports contents of which it has copies, in addition to earlier reports; the first part of a whole report replaces earlier
    /// ones.
    ///
    /// A report has parts of ``FileTable/longestReport`` contents, and ends with a shorter one, perhaps without any.
    case filesHeld(SessionID, [ContentDigest], isFirst: Bool)
    /// The keeper that has files of submitters has these contents, ahead of its own word.
    case filesSent([ContentDigest])
    /// A keeper of sent files has no room for so many bytes.
    case filesLackRoom(bytes: UInt64)
    /// A worker has no copies of contents any more; `areDamaged` if it has found them damaged.
    case filesDropped(SessionID, [ContentDigest], areDamaged: Bool = false)
    /// A worker returns an attempt that it cannot start: nobody gives the contents, or they come damaged.
    ///
    /// `givers` has the sessions of the workers that gave contents which have come; their copies are damaged.
    case filesMissing(SessionID, AttemptToken, [ContentDigest], givers: [ContentDigest: [SessionID]] = [:])
    /// A worker could not copy contents: it has no room, no worker sends them, or they arrive damaged.
    ///
    /// `givers` has the sessions of the workers that sent damaged contents.
    case filesNotCopied(SessionID, [ContentDigest], givers: [ContentDigest: [SessionID]] = [:])
    /// A worker asks for a content, for an attempt whose operation does not need the content: another attempt of a dependency has left
    /// other files since the worker was told which files the attempt needs.
    case fetchOutdated(SessionID, AttemptToken)
    /// A worker reports how much is there of the files that it fetches for attempts.
    case fetchesProgressed(SessionID, [AttemptFetch])
    /// The record has these files of finished operations, on which the next request may depend.
    case filesKnown([FileSource])
    /// The record has lost these finished jobs at somebody's request: nobody can name their files any more.
    case jobsDeleted([JobNumber])
    /// A worker tells its round trip to the coordinator, in microseconds; any number is accepted.
    case workerDistance(SessionID, roundTrip: Int64)
    /// A worker reports why it cannot start attempts; nil once it can start them again.
    ///
    /// The event is no sign of life, because a report may count later than it arrives.
    case workerHealth(SessionID, fault: String?)
    /// The running operations that wait for others, in place of those of the last event of this kind.
    case operationsWaiting([OperationID])
    /// A large change takes its next turn; see ``Scheduler/hasTurnLeft``.
    case changeContinued
    /// A confirmed milestone is on disk, with all changes before it.
    case committed(Milestone)
    /// The record has become writable or unwritable: the scheduler dispatches nothing while the record is unwritable.
    case recordWritable(Bool)
    /// The times that users see are ahead of the scheduler's by so much more from now on; no timer changes.
    case clockStepped(Duration)
    /// A schedule was changed, or skipped one of its times; the name of who asked, if somebody did and is known.
    case scheduleChanged(String, ScheduleNews, by: RequesterName?)
    /// Time has passed; see ``Scheduler/nextDeadline``.
    case timePassed
}

extension Event {
    /// The ID of the request that the event is; nil for any other event.
    @inline(__always)
    var request: RequestID? {
        switch self {
        case .submit(_, _, _, let request), .add(_, _, _, let request), .close(_, let request), .cancel(_, let request),
            .hold(_, let request), .release(_, let request), .pause(_, let request), .resume(_, let request),
            .signal(_, _, let request),
            .setPriority(_, _, let request), .depend(_, _, _, let request), .undepend(_, _, let request),
            .addCommand(_, _, let request), .reportProgress(_, _, _, let request), .setQueue(_, let request),
            .deleteQueue(_, let request), .drain(_, let request), .undrain(_, let request), .stop(_, _, let request),
            .forget(_, let request), .setLimit(_, let request):
            request
        case .arrivalContinued, .arrivalEnded, .workerJoined, .workerHeard, .workerBytesArrived, .workerLeaving,
            .workerLeft, .workerExpelled, .attemptsStarted, .attemptsReturned, .attemptsProgressed, .attemptEnded,
            .filesHeld, .filesSent, .filesLackRoom, .filesDropped, .filesMissing, .filesNotCopied, .fetchOutdated,
            .fetchesProgressed,
            .filesKnown, .jobsDeleted, .workerDistance, .workerHealth, .operationsWaiting, .changeContinued, .committed,
            .recordWritable, .clockStepped, .scheduleChanged, .timePassed:
            nil
        }
    }

    /// Whether the event tells of files for the next request.
    var isAboutKnownFiles: Bool {
        switch self {
        case .filesKnown, .filesSent: true
        default: false
        }
    }

    /// Whether the event is a request with a result that depends on the attempts started so far.
    var dependsOnWhatStarted: Bool {
        switch self {
        case .cancel, .hold, .release, .pause, .resume, .signal, .setPriority, .depend, .undepend, .addCommand,
            .reportProgress, .setQueue, .deleteQueue, .drain, .undrain:
            true
        default: false
        }
    }
}
