import Operations
import Wire

/// What other threads tell the worker's own.
enum WorkerLetter: Sendable {
    /// The processes of an attempt are gone; its output is being collected.
    case slotFreed(AttemptToken)
    /// An attempt is over.
    case attemptEnded(AttemptToken, AttemptResult)
    /// A piece of output has been read; nil where there is none.
    case outputRead(request: UInt64, OutputChunk?)
    /// End gracefully.
    case stop
    /// End at once.
    case stopNow
}
