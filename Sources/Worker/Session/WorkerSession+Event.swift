@_spi(Baton) public import BatonKeys
@_spi(Baton) public import BatonOperations
@_spi(Baton) public import BatonWire

@_spi(Baton) extension WorkerSession {
    /// An event of a worker's session.
    public enum Event: Hashable, Sendable {
        /// Time has passed; see ``WorkerSession/nextTick``.
        case tick
        /// The connection for ``Effect/openConnection(at:)`` is open, though possibly without a coordinator at the other
        /// end.
        case connectionOpened
        /// The connection has ended, or could not be opened.
        case connectionLost
        /// The connection does not get past its handshake, for this reason.
        case notAdmitted(KeyObstacle)
        /// The coordinator at this place has said whether it leads, over the connection for inquiries.
        case leadership(Leadership, at: Int)
        /// The place is connected, and answers no inquiries.
        case placeSilent(Int)
        /// The connection for inquiries to the place has ended.
        case placeLost(Int)
        /// The connection was looked at, because ``WorkerSession/isLookDue(at:)``: the time of the latest sign of life in its bytes,
        /// and the round trip; nil where nobody can tell.
        case connectionSeen(signAt: Duration?, roundTrip: Duration = .zero)
        /// The coordinator sent this.
        case message(CoordinatorMessage)
        /// The processes of an attempt are gone, so another attempt may start; the end follows once the output is
        /// collected.
        case slotFreed(AttemptToken)
        /// An attempt from ``Effect/startAttempt(_:)`` has ended.
        case attemptFinished(AttemptToken, AttemptResult)
        /// Swift operations have reported progress; to be reported at most a few times a second.
        case attemptsProgressed([AttemptProgress])
        /// Signals keep these attempts stopped; all others run.
        case attemptsStopped([AttemptToken: Int32])
        /// The host could not start an attempt, with the reason; the attempt's end follows.
        case startFailed(String)
        /// The host can start attempts again.
        case startSucceeded
        /// All files for ``Effect/fetchFiles(_:_:)`` are kept here.
        case filesFetched(AttemptToken)
        /// Nobody gives these files for ``Effect/fetchFiles(_:_:)``.
        case filesUnavailable(AttemptToken, [ContentDigest])
        /// There is no room here for files for ``Effect/fetchFiles(_:_:)``.
        case noRoomForFiles(AttemptToken, RoomLack)
        /// So many bytes are here of files that are being fetched; to be reported at most a few times a second.
        case filesArriving([ContentDigest: UInt64])
        /// The worker has begun to keep files, or keeps them no longer.
        case filesChanged(held: [ContentDigest], dropped: [ContentDigest])
        /// A file that the worker has kept is gone, or has other bytes; ``filesChanged(held:dropped:)`` follows.
        case fileLost(ContentDigest, isDamaged: Bool)
        /// These files for ``Effect/verifyFiles(_:)`` have the content that their digests say.
        case filesVerified([ContentDigest])
        /// These files for ``Effect/copyFiles(_:)`` of a session cannot be had; without room for them here, `hasRoom` is false.
        case filesNotCopied(SessionID, [ContentDigest], hasRoom: Bool)
        /// The piece of output for ``Effect/readOutput(_:isOver:)``; nil if no such output exists.
        case outputRead(request: UInt64, OutputChunk?)
        /// The worker shall leave: attempts may go on for the drain timeout, and then are ended; their ends are reported.
        case stopRequested
        /// The worker shall leave once its attempts have ended by themselves, however long that takes.
        case finishRequested
        /// All processes were killed: the worker leaves without waiting for anything.
        case everythingKilled
    }
}
