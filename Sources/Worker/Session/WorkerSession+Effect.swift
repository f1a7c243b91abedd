@_spi(Baton) public import BatonKeys
@_spi(Baton) public import BatonOperations
@_spi(Baton) public import BatonWire

@_spi(Baton) extension WorkerSession {
    /// An action that a worker's session requests.
    public enum Effect: Hashable, Sendable {
        /// Open a connection to the place with this number, and report the outcome.
        case openConnection(at: Int)
        /// Ask all places who leads, now and whenever it may have changed, and report the answers.
        case openInquiries
        /// Put the coordinators that the worker obeys on the disk, before what follows.
        case keepRanks(KnownRanks)
        /// Close the connection, or what opens it, and drop its waiting messages.
        case closeConnection
        /// Send this message over the connection.
        case send(WorkerMessage)
        /// Note the attempt's start in the ledger of the directory, start the attempt of commands or of a Swift operation now, and
        /// report its end.
        case startAttempt(AssignedWork)
        /// Erase these places in the ledger of the directory.
        case eraseStarts([Int32])
        /// Note in the ledger that it no longer has the starts of earlier lives.
        case forgetEarlierLives
        /// Store inputs for an attempt that starts later; if storing fails, the attempt ends when it starts.
        case storeInputs(AttemptToken, [Input])
        /// Remove the stored inputs of an attempt that will not start.
        case discardInputs(AttemptToken)
        /// Fetch the files that an attempt needs and that are not kept here, and report the outcome.
        case fetchFiles(AttemptToken, [InputFile])
        /// Stop fetching for an attempt that will not start.
        case dropFetch(AttemptToken)
        /// These files may be removed when their room is needed, and are not to be copied for no attempt any more.
        case releaseFiles([ContentDigest])
        /// These files may not be removed any more.
        case retainFiles([ContentDigest])
        /// Compare the content of these files with their digests, drop what is damaged, and report what is right.
        case verifyFiles([ContentDigest])
        /// Copy these files from other workers for no attempt, and report those that cannot be had.
        case copyFiles([KeptFile])
        /// End a started attempt, with its grace period (CA4).
        case endAttempt(AttemptToken, EndCause)
        /// Stop the processes of a running attempt, with its timeout.
        case pauseAttempt(AttemptToken)
        /// Continue the processes of a stopped attempt.
        case resumeAttempt(AttemptToken)
        /// Send a signal to the processes of a running attempt.
        case signalAttempt(AttemptToken, OperationSignal)
        /// Read a piece of an attempt's output, and report the piece; `isOver` means that the output will not grow any
        /// more.
        case readOutput(OutputRequest, isOver: Bool)
        /// Put these attempts on the disk for the worker's successor, in place of earlier ones.
        case keepAttempts([KeptAttempts.Attempt])
        /// Remove the attempts on the disk: the coordinator knows what became of them.
        case discardKeptAttempts
        /// Kill everything that runs, at once, and report ``Event/everythingKilled``.
        case killEverything
        /// Tell people about the coordinator's place among others.
        case noteLeader(LeaderNews)
        /// Tell people why the worker leaves.
        case noteDeparture(Departure)
        /// End the loop: the session is over.
        case exit(ExitReason)
    }

    /// The cause for which an attempt is ended early.
    public enum EndCause: Hashable, Sendable {
        /// The coordinator asked for the end.
        case cancelled
        /// The worker leaves: the attempt is reported as ``AttemptEnd/stopped``.
        case leaving
        /// The coordinator has been away for too long; the attempt is reported as ``AttemptEnd/interrupted``.
        case coordinatorLost
        /// The coordinator has another record, without the attempt; the attempt is reported as interrupted, too.
        case foreign

        /// The end of an attempt that the worker ends of its own accord, so that the outcome remains unknown; nil for a
        /// cancellation.
        public var interruption: AttemptEnd? {
            switch self {
            case .cancelled: nil
            case .leaving: .stopped
            case .coordinatorLost, .foreign: .interrupted
            }
        }
    }

    /// What people hear about a coordinator's place among others.
    public enum LeaderNews: Hashable, Sendable {
        /// The coordinator does not lead, and has named the address of the one that does, if it knows any.
        case standsBy(leader: String?)
        /// The coordinator welcomes the worker though another one has replaced it: it is not obeyed.
        case superseded(LeaderRank)
        /// The coordinator's record was restored from an earlier copy: it is obeyed.
        case restored(LeaderRank)
    }

    /// The cause of a departure, other than a signal.
    public enum Departure: Hashable, Sendable {
        /// A client asked for it; `isImmediate` if what runs is ended at once.
        case requested(isImmediate: Bool)
        /// The worker had nothing to do for long enough.
        case idle
        /// The worker has reached its time limit.
        case timeLimit
    }

    /// The reason for the end of a session.
    public enum ExitReason: Hashable, Sendable {
        /// The worker was asked to stop, and has said goodbye.
        case stopped
        /// The coordinator refused this worker.
        case refused(Refusal)
        /// The keys do not let this worker in, which has never met its coordinator.
        case notAdmitted(KeyObstacle)
        /// Another process has the worker's place; `isCopy` means that the process has the same identity.
        case superseded(Refusal, isCopy: Bool)
    }
}
