/// The times by which a session watches its connection, all of which follow from the interval of its heartbeats.
///
/// Each turn of the worker compares them several times, and a division or multiplication of a duration takes some hundred instructions.
struct HeartbeatTimes: Hashable, Sendable {
    /// The time between two heartbeats.
    let interval: Duration
    /// The silence before the first look at the connection.
    ///
    /// An answered heartbeat ends a silence earlier, so that nobody looks as long as all is well.
    let silenceBeforeLook: Duration
    /// The time between two looks in a silence.
    let lookInterval: Duration
    /// The silence after which the connection counts as lost.
    let longestSilence: Duration

    /// Derives the times.
    ///
    /// - Parameters:
    ///   - interval: the time between two heartbeats.
    ///   - silentIntervals: the number of such times without a sign of life after which the connection counts as lost.
    init(interval: Duration, silentIntervals: Int) {
        self.interval = interval
        lookInterval = interval / 2
        silenceBeforeLook = lookInterval * 3
        longestSilence = interval * silentIntervals
    }
}
