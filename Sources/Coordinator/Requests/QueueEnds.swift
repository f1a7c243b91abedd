@_spi(Baton) import BatonOperations

/// Remembers the counts of ended operations in a queue at the beginning of a wait, to compute the operations that ended
/// since.
///
/// The worker reports when an operation ended, and this time may lie before the beginning of a wait that still counted the
/// operation as unfinished. The times in the record therefore decide only if the coordinator has forgotten the wait: after a
/// restart, or after a long absence of the client. For that case, each reply tells the client a moment that is early enough for all
/// times that the record has got since, however often the host's clock was set.
///
/// Owns the counts at the beginning of each remembered wait. Guarantees that at most ``most`` waits are remembered.
struct QueueEnds {
    private struct Wait: Hashable {
        var queue: String
        /// The beginning by the record's clock, which no step of the host's clock changes.
        var began: Timestamp

        init(_ queue: String, _ began: RecordMoment) {
            self.queue = queue
            self.began = began.clock
        }
    }

    private struct State {
        var ended: JobCounts
        var lastAsked: Timestamp
        /// The earliest that the beginning has been by the time of day.
        var earliest: Timestamp
    }

    /// The most waits in memory.
    static let most = 10_000
    /// How long a wait is remembered without a request of its client.
    static let patience = Duration.seconds(300)

    private var waits: [Wait: State] = [:]

    /// Remembers the counts of a queue at the beginning of a wait, up to ``most`` waits.
    ///
    /// - Parameter began: the moment in the replies to the waiting client, which identifies the wait.
    mutating func begin(_ queue: String, at began: RecordMoment, ended: JobCounts, now: Timestamp) {
        let wait = Wait(queue, began)
        guard waits[wait] == nil, waits.count < Self.most else { return }
        waits[wait] = State(ended: ended, lastAsked: now, earliest: began.time)
    }

    /// Notes that the host's clock was set.
    ///
    /// - Parameter offset: how far the time of day is ahead of the record's clock from now on.
    mutating func noteClock(ahead offset: Duration) {
        for (wait, state) in waits { waits[wait]?.earliest = min(state.earliest, wait.began + offset) }
    }

    /// The beginning of a wait as its client is to tell it next: the time of day is the earliest since the beginning.
    ///
    /// - Parameter offset: how far the time of day is ahead of the record's clock now.
    func moment(_ began: RecordMoment, of queue: String, clockOffset offset: Duration) -> RecordMoment {
        let earliest = began.earliestTime(clockOffset: offset)
        let known = waits[Wait(queue, began)]?.earliest ?? earliest
        return RecordMoment(clock: began.clock, time: min(earliest, known))
    }

    /// The operations that have ended in a queue since a wait began; nil if the wait is forgotten.
    ///
    /// - Parameter ended: the counts of the queue's ended operations by now.
    mutating func counts(_ queue: String, since began: RecordMoment, ended: JobCounts, now: Timestamp) -> JobCounts? {
        let wait = Wait(queue, began)
        guard let before = waits[wait]?.ended else { return nil }
        waits[wait]?.lastAsked = now
        var counts = JobCounts()
        for outcome in Outcome.allCases { counts[outcome] = ended[outcome] - before[outcome] }
        counts.notNeeded = ended.notNeeded - before.notNeeded
        counts.skippedAfterFailure = ended.skippedAfterFailure - before.skippedAfterFailure
        return counts
    }

    /// Forgets the waits for a deleted queue: a later queue of the name counts anew.
    mutating func forget(_ queue: String) {
        waits = waits.filter { $0.key.queue != queue }
    }

    /// Forgets the waits without a recent request.
    mutating func forgetOld(now: Timestamp) {
        waits = waits.filter { $0.value.lastAsked + Self.patience > now }
    }
}
