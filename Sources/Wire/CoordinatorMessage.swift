@_spi(Baton) public import BatonOperations

/// A message from the coordinator to a worker.
@_spi(Baton) public enum CoordinatorMessage: Hashable, Sendable {
    /// The answer to a hello: the session is valid.
    case welcome(Welcome)
    /// The answer to a refused hello, with a sentence; the worker gives up.
    case refused(Refusal)
    /// Whether the coordinator leads, and which one does otherwise, as the answer to an inquiry or whenever it changes; since version 2.
    ///
    /// A coordinator that does not lead answers a hello with it, too.
    case leadership(Leadership)
    /// Another process has the worker's place, as a sentence explains; the worker ends its attempts and gives up.
    ///
    /// `isCopy` means that the other process has the same identity: one of the two directories is a copy of the other.
    case superseded(Refusal, isCopy: Bool)
    /// The session is unknown or no longer known: the worker says hello again, with a new session.
    case sayHello
    /// The answer to a hello that counts only once it comes with this number, over the same connection; since version 2.
    ///
    /// A new leader learns so that the hello was not late, from a connection that its worker has given up. The worker says hello again
    /// with the number as its ``WorkerHello/echo``.
    case challenge(UInt64)
    /// The coordinator is still present.
    case heartbeat(number: UInt64)
    /// Attempts to run, each as soon as a slot is free.
    case dispatch(DispatchBatch)
    /// These completions are on disk: the worker deletes them.
    case acknowledge([AttemptToken])
    /// The worker is to end these attempts, on request (CA4) or because they are no longer valid.
    ///
    /// Attempts that have not started are returned.
    case cancel([AttemptToken])
    /// The worker is to return these attempts; started attempts go on.
    case recall([AttemptToken])
    /// The worker is to stop the processes of these attempts, with their timeouts, and to continue the processes of all other attempts;
    /// since version 2.
    ///
    /// The list is whole, so that a message that was lost with its session changes nothing. A ``Welcome`` has it, too.
    case pauses([AttemptToken])
    /// The worker is to send a signal to the processes of these attempts; since version 2.
    case signal([AttemptToken], OperationSignal)
    /// The worker is to leave: after its drain timeout at the latest, or ending now what runs.
    case stop(isImmediate: Bool)
    /// Some inputs of an attempt of commands; `isLast` marks the last piece, which may be empty.
    case inputs(AttemptToken, [Input], isLast: Bool)
    /// Some inputs of an attempt of a Swift operation; `isLast` marks the last piece, which may be empty.
    ///
    /// `first` is the place of the first of them among all inputs of the attempt: the worker drops a piece that does not follow
    /// the earlier ones, such as a piece for an earlier session.
    case typedInputs(AttemptToken, first: UInt32, [TypedInput], isLast: Bool)
    /// Some files among the inputs of an attempt, which the worker fetches; they come before the attempt's last `inputs`; since version 2.
    case inputFiles(AttemptToken, [InputFile])
    /// The worker may remove these files when it needs room, and must keep all other files; since version 2.
    case releaseFiles([ContentDigest])
    /// The worker may not remove these files any more; since version 2.
    case retainFiles([ContentDigest])
    /// The worker is to look whether its copies of these files are right: they arrived damaged at other workers; since version 2.
    ///
    /// The answers are ``WorkerMessage/filesDropped(_:_:areDamaged:)`` for the damaged ones, and
    /// ``WorkerMessage/filesHeld(_:_:isFirst:)`` for the rest.
    case verifyFiles([ContentDigest])
    /// The worker is to keep copies of these files, behind all that attempts need; since version 2.
    ///
    /// The paths say nothing. The answer is ``WorkerMessage/filesHeld(_:_:isFirst:)`` with each that has come, and
    /// ``WorkerMessage/filesNotCopied(_:_:hasRoom:)`` with each that cannot be had. A content that it may remove meanwhile is not copied
    /// any more.
    case copyFiles([KeptFile])
    /// A request over the worker's second connection for a piece of a file that it keeps; the answer is a ``PassedPiece``; since version 2.
    case readPiece(number: UInt64, echo: UInt64, ContentDigest, offset: UInt64, limit: UInt32)
    /// The answer to `fetchPiece` without a piece: no worker has the file any more, or the worker is to ask again; since version 2.
    case pieceUnavailable(echo: UInt64, isLost: Bool)
    /// The rest of a large file is to be asked of the worker that keeps it, with a ticket, instead of the coordinator; since version 2.
    ///
    /// `echo` is the number of the request whose piece follows. A worker that cannot reach the other one asks the coordinator.
    case directSource(echo: UInt64, ContentDigest, DataAddress, ReaderTicket)
    /// A worker that shows this ticket may read this file directly, until so many seconds without a request; since version 2.
    ///
    /// It comes over the second connection, before the `readPiece` of the file's first piece, and ends with the session.
    case admitReader(ReaderTicket, ContentDigest, seconds: UInt32)
    /// A request for a piece of an attempt's output; the answer carries the same request number.
    case readOutput(request: UInt64, AttemptToken, OperationID, OutputStream, offset: UInt64, limit: UInt32)
}
