@_spi(Baton) import BatonOperations

/// How far away a worker is, and how much work ahead of its free slots hides the way there and back.
///
/// A free slot costs a round trip: the report of the end travels to the coordinator, and the next attempt travels back. Work
/// that lasts as long as the round trip has to be on its way to each slot, so that no slot waits. The numbers are computed when
/// the round trip changes, because the scheduler reads them for every attempt.
struct Distance: Hashable {
    /// The shortest round trip that counts, in microseconds.
    ///
    /// A worker with a shorter round trip is near: on one host or in one room, the scheduling of a busy processor takes as long as
    /// the network.
    static let shortestRoundTrip: Int64 = 2_000
    /// The longest round trip that counts, in microseconds.
    ///
    /// Workers are not trusted: a worker that names a longer one gets no more than a second of work ahead.
    static let longestRoundTrip: Int64 = 1_000_000

    /// The distance of a worker that has told no round trip.
    static let unknown = Distance(roundTrip: 0)

    /// The round trip to hide, in microseconds; 0 for a near worker.
    let roundTrip: Int64
    /// The duration of the work that each slot is sent ahead, in microseconds.
    let horizon: Int64
    /// The longest mean duration of attempts that are sent ahead, in microseconds.
    ///
    /// Where attempts take longer, a slot that waits for a round trip loses less than a fifth of its time, and the visible
    /// order is worth more.
    let longestAttempt: Int64
    /// The most attempts that are sent ahead, however short they are.
    let mostAttempts: Int

    /// The distance of a worker that has told its round trip in microseconds; any number is accepted.
    init(roundTrip told: Int64) {
        roundTrip = told < Self.shortestRoundTrip ? 0 : min(told, Self.longestRoundTrip)
        horizon = SendAhead.horizon + roundTrip
        longestAttempt = SendAhead.horizon + 4 * roundTrip
        mostAttempts = min(
            SendAhead.limit + Int(roundTrip) * Self.attemptsPerMillisecond / 1000,
            Self.mostAttemptsAnywhere
        )
    }

    /// How late a report of a far worker may be, in microseconds: TCP repeats a lost packet after 200 ms, or twice as much.
    private static let repetition: Int64 = 500_000

    /// The number of attempts ahead for each millisecond of the round trip: more than a worker can start, however short they are.
    ///
    /// The time that processes cost is not part of the attempts' own times. Without the bound, a worker would get more no-ops than
    /// it can finish during the round trip.
    private static let attemptsPerMillisecond = 192

    /// The most attempts that are sent ahead to any worker: each takes memory on both sides, and may have to be recalled.
    private static let mostAttemptsAnywhere = 32_768

    /// Whether the way to the worker is so short that nothing has to be hidden.
    var isNear: Bool { roundTrip == 0 }

    /// How long the worker may seem to start and end nothing before the attempts ahead are recalled, in microseconds.
    ///
    /// A far worker is judged by what arrives a round trip after its cause, and what was lost on the way arrives after a
    /// repetition. A recall that was not necessary empties the worker for a round trip. Where a single attempt may take longer
    /// than ``SendAhead/horizon``, the worker is silent for that long.
    ///
    /// - Parameter mean: the mean duration of the worker's last attempts, in microseconds; nil if no attempt has ended.
    func patience(mean: Int64?) -> Int64 {
        guard !isNear else { return SendAhead.patience }
        return max(Self.repetition, min(mean ?? 0, longestAttempt) * 5 / 2) + 2 * roundTrip
    }
}
