@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// A message from another thread to the worker's own thread.
enum WorkerLetter: Sendable {
    /// The search for the coordinator has ended.
    case found(ServerSearch.Finding)
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
    /// Removed directories of the worker were created again.
    case directoriesRestored
    /// End gracefully.
    case stop
    /// End once all attempts have ended by themselves.
    case finish
    /// End at once.
    case stopNow
}
