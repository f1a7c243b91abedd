import BatonOperations
import BatonWire

/// What other threads tell the worker's own.
enum WorkerLetter: Sendable {
    /// What an attempt needs is in place, or could not be put there.
    case attemptPrepared(AttemptToken, Result<AttemptOutput, FileFailure>)
    /// An attempt is over, and what it left has been collected.
    case attemptEnded(AttemptToken, AttemptResult)
    /// A piece of output has been read; nil where there is none.
    case outputRead(request: UInt64, OutputChunk?)
    /// What an attempt that runs has printed was cut down.
    case outputTrimmed(AttemptToken)
    /// The worker's directories were made again, which somebody had removed.
    case directoriesRestored
    /// End gracefully.
    case stop
    /// End at once.
    case stopNow
}
