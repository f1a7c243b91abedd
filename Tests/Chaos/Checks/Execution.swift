/// One run of an operation's command, according to the journal.
///
/// Moments are places in the journal.
package struct Execution: Hashable, Sendable {
    /// The number of the attempt, as given to the command.
    package var attempt: Int
    /// The command's process.
    package var process: Int
    /// The process of the worker that started it.
    package var worker: Int
    /// The moment of the start.
    package var start: Int
    /// The moment of the end, with the status; nil for a command that was ended before it could write the line.
    package var end: End?
    /// The moment just before the kill of its worker; nil without a kill.
    package var workerKilled: Int?

    /// The first moment after the start without a connection between its worker and the coordinator; nil without a cut.
    ///
    /// For a start during a cut, the moment is the start.
    package var workerCut: Int?

    /// The end that a command reported.
    package struct End: Hashable, Sendable {
        /// The moment of the end.
        package var place: Int
        /// The exit status that followed.
        package var status: Int
    }

    /// The moment until which the command certainly ran, never later than its real end.
    ///
    /// A cancelled execution reports no end, and counts for its first moment alone.
    var certainlyRanUntil: Int {
        min(end?.place ?? workerKilled ?? start, workerKilled ?? .max)
    }

    /// Whether the command failed by itself.
    var hasFailed: Bool { end.map { $0.status != 0 } ?? false }
}
