@_spi(Baton) public import BatonOperations

/// A message from a worker to the coordinator.
@_spi(Baton) public enum WorkerMessage: Hashable, Sendable {
    /// The worker's hello; the answer is `welcome` or `refused`.
    indirect case hello(WorkerHello)
    /// The question whether a coordinator leads, without a session; the answer is ``CoordinatorMessage/leadership(_:)``; since version 2.
    ///
    /// A coordinator of version 1 leaves it unanswered.
    case inquire(LeaderInquiry)
    /// The worker is still present; the answer is a heartbeat with the same number.
    case heartbeat(SessionID, number: UInt64)
    /// A report on attempts.
    case report(SessionID, AttemptReport)
    /// A request for the results of an operation's dependencies, before the start of an attempt of commands (DE20).
    case fetchInputs(SessionID, AttemptToken, OperationID)
    /// The same for an attempt of a Swift operation; the answer is `typedInputs`.
    case fetchTypedInputs(SessionID, AttemptToken, OperationID)
    /// The latest progress of running attempts of Swift operations.
    case progress(SessionID, [AttemptProgress])
    /// All running attempts whose processes are stopped, whenever that changes; to a coordinator that speaks version 2 of the protocol.
    case stops(SessionID, [AttemptStop])
    /// The answer to `readOutput`; nil if the worker does not have the output (any more).
    case output(request: UInt64, OutputChunk?)
    /// The files that the worker keeps in addition to those of earlier messages, at most ``WireLimits/maximumHeldFiles``; since version 2.
    ///
    /// `isFirst` marks the first list after a ``Welcome``, which replaces all that the coordinator knows.
    case filesHeld(SessionID, [ContentDigest], isFirst: Bool)
    /// Files that the worker no longer keeps: they were removed, are gone, or, with `areDamaged`, did not have their bytes any more; since
    /// version 2.
    case filesDropped(SessionID, [ContentDigest], areDamaged: Bool = false)
    /// The attempt is returned, and never starts: no worker sends these files, which it needs; since version 2.
    ///
    /// An attempt for whose files the worker has no room ends with ``BatonOperations/AttemptEnd/noRoom(_:hasRun:)`` instead.
    case filesMissing(SessionID, AttemptToken, [ContentDigest])
    /// Files of ``CoordinatorMessage/copyFiles(_:)`` that the worker does not copy; since version 2.
    ///
    /// Without room for them, or where their bytes cannot be written, `hasRoom` is false; otherwise no worker sends them, or they arrive
    /// damaged.
    case filesNotCopied(SessionID, [ContentDigest], hasRoom: Bool)
    /// How much is there of the files that attempts wait for, at most a few times a second; since version 2.
    case fetchProgress(SessionID, [AttemptFetch])
    /// The first message over the worker's second connection, which carries files alone; since version 2.
    case fileConnection(SessionID)
    /// A request over the second connection for a piece of a file that an attempt needs, or, in the name of a copy, of one to be copied;
    /// since version 2.
    ///
    /// The answer is a ``PassedPiece`` or ``CoordinatorMessage/pieceUnavailable(echo:isLost:)``, with the number as `echo`.
    case fetchPiece(SessionID, number: UInt64, AttemptToken, ContentDigest, offset: UInt64, limit: UInt32)
    /// Where other workers get the files directly that the worker keeps, right after `fileConnection` over the same connection; since
    /// version 2.
    case dataAddress(SessionID, DataAddress)
    /// How many bytes of files have come directly from other workers since the last such message; since version 2.
    case directBytes(SessionID, UInt64)
    /// The fault that prevents the worker from starting attempts; nil once it can start attempts again (D9).
    case health(SessionID, fault: String?)
    /// The worker's round trip to the coordinator and back, in microseconds, once it is noticeable and whenever it changes.
    case distance(SessionID, roundTrip: UInt64)
    /// The worker finishes or ends its attempts and then leaves: it accepts nothing new.
    case leaving(SessionID)
    /// The worker leaves; its running attempts are interrupted, and their completions were sent before.
    case goodbye(SessionID)
}
