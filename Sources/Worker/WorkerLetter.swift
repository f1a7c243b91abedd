import Operations
import Wire

/// What other threads tell the worker's own.
enum WorkerLetter: Sendable {
    /// An attempt is over.
    case attemptEnded(AttemptToken, AttemptResult)
    /// A piece of output has been read; nil where there is none.
    case outputRead(request: UInt64, OutputChunk?)
    /// End gracefully.
    case stop
    /// End at once.
    case stopNow
}
