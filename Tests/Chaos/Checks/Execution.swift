/// One run of an operation's command, as the journal tells of it.
///
/// Moments are places in the journal.
public struct Execution: Hashable, Sendable {
    /// The number of the attempt, as the command was told.
    public var attempt: Int
    /// The command's process.
    public var process: Int
    /// The process of the worker that started it.
    public var worker: Int
    /// When it started.
    public var start: Int
    /// When it ended, and with which status; nil where it was ended before it could tell.
    public var end: End?
    /// When somebody set out to kill its worker; nil where nobody has.
    public var workerKilled: Int?

    /// When its worker was last cut off from the coordinator since it started, or that start if it was then; nil where it never was.
    public var workerCut: Int?

    /// The end that a command told of.
    public struct End: Hashable, Sendable {
        /// When.
        public var place: Int
        /// The exit status that followed.
        public var status: Int
    }

    /// Until when it certainly ran: never later than it did.
    ///
    /// An execution that was ended from outside, by a cancellation, tells no end and counts for its first moment alone.
    var certainlyRanUntil: Int {
        min(end?.place ?? workerKilled ?? start, workerKilled ?? .max)
    }

    /// Whether it failed by itself.
    var hasFailed: Bool { end.map { $0.status != 0 } ?? false }
}
