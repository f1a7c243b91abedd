public import BatonOperations
public import BatonWire

extension WorkerSession {
    /// What can happen to a worker's session.
    public enum Event: Hashable, Sendable {
        /// Time has passed; see ``WorkerSession/nextTick``.
        case tick
        /// The connection that ``Effect/openConnection`` asked for is there, though perhaps nobody at its other end.
        case connectionOpened
        /// The connection has ended, or could not be opened.
        case connectionLost
        /// The coordinator sent this.
        case message(CoordinatorMessage)
        /// The processes of an attempt are gone, so that another may start; its end follows once its output is collected.
        case slotFreed(AttemptToken)
        /// An attempt that ``Effect/startAttempt(_:_:queue:)`` named is over.
        case attemptFinished(AttemptToken, AttemptResult)
        /// The host could not start something, and why; the ends of what it was part of follow.
        case startFailed(String)
        /// The host has started something again.
        case startSucceeded
        /// The piece of output that ``Effect/readOutput(_:isOver:)`` asked for; nil where there is none.
        case outputRead(request: UInt64, OutputChunk?)
        /// The worker shall go away: attempts are ended, and their ends reported.
        case stopRequested
        /// Everything that ran was killed: the worker goes away without waiting for anything.
        case everythingKilled
    }
}
