@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// A message from another thread to the worker's own thread.
enum WorkerLetter: Sendable {
    /// The search for the coordinator with this number has ended.
    case found(ServerSearch.Finding, search: UInt64)
    /// The files of an attempt are ready, or could not be prepared.
    case attemptPrepared(AttemptToken, Result<AttemptOutput, FileFailure>)
    /// An attempt has ended, and its output and result have been collected.
    case attemptEnded(AttemptToken, AttemptResult)
    /// Swift operations have reported progress, which ``ProgressBoard/takeAll()`` returns.
    case attemptsProgressed
    /// A piece of output has been read; nil if no such output exists.
    case outputRead(request: UInt64, OutputChunk?)
    /// The output of a running attempt was trimmed.
    case outputTrimmed(AttemptToken)
    /// All files that an attempt needs are kept here.
    case filesFetched(AttemptToken)
    /// Nobody gives these files, which an attempt needs.
    case filesUnavailable(AttemptToken, [ContentDigest])
    /// Files that an attempt needs cannot be kept here, for a reason that lies with this host.
    case fetchFailed(AttemptToken, FileFailure)
    /// Files that the worker was to copy in a session cannot be had: for want of room here, or because nobody gives them.
    case filesNotCopied(SessionID, [ContentDigest], hasRoom: Bool)
    /// The worker has begun to keep files, or keeps them no longer.
    case filesChanged(held: [ContentDigest], dropped: [ContentDigest])
    /// A file that the worker has kept is gone, or has other bytes; that it is kept no longer follows.
    case fileLost(ContentDigest, isDamaged: Bool)
    /// So many bytes are here of files that are being fetched.
    case filesArriving([ContentDigest: UInt64])
    /// These files were checked and match their digests.
    case filesVerified([ContentDigest])
    /// Removed directories of the worker were created again.
    case directoriesRestored
    /// End gracefully.
    case stop
    /// End once all attempts have ended by themselves.
    case finish
    /// End at once.
    case stopNow
}
