/// Tells from the bytes of a connection when its peer was last alive, while no message arrives.
///
/// A message that takes minutes is no silence. Two things count:
///
/// - Bytes have arrived. Of a process that is stopped, no more arrive than its kernel had taken from it before.
/// - Bytes that had piled up were acknowledged since the last look: the message in front of the peer's answer gets on. A
///   stopped peer's kernel acknowledges as well, until its buffer is full, and never for longer than the buffer takes to fill.
///   Small messages pile up nowhere, and so a stopped peer does not seem alive because its kernel takes heartbeats.
///
/// Look a few times within the time after which the peer shall count as gone: the first look in a silence only remembers.
struct SignsOfLife {
    /// The fewest bytes that have piled up: more than the small messages that are sent in a round trip without an answer.
    static let leastBacklog = 4 << 10

    private var last: (activity: ConnectionActivity, at: ContinuousClock.Instant)?

    /// Looks at the connection, and returns the time since the latest sign.
    mutating func age(in activity: ConnectionActivity, at now: ContinuousClock.Instant = .now) -> Duration {
        defer { last = (activity, now) }
        // If bytes have arrived since the last look, a new silence has begun.
        guard let last, activity.timeSinceArrival > now - last.at, last.activity.backlog >= Self.leastBacklog,
            activity.acknowledged > last.activity.acknowledged
        else { return activity.timeSinceArrival }
        return .zero
    }
}
