@_spi(Baton) import BatonOperations

/// Remembers the counts of ended operations in a queue at the beginning of a wait, to compute the operations that ended
/// since.
///
/// The worker reports when an operation ended, and this time may lie before the beginning of a wait that still counted the
/// operation as unfinished. The times in the record therefore decide only if the coordinator has forgotten the wait: after a
/// restart, or after a long absence of the client.
///
/// Owns the counts at the beginning of each remembered wait. Guarantees that at most ``most`` waits are remembered.
struct QueueEnds {
    private struct Wait: Hashable {
        var queue: String
        var began: RecordMoment
    }

    private struct State {
        var ended: JobCounts
        var lastAsked: Timestamp
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
        let wait = Wait(queue: queue, began: began)
        guard waits[wait] == nil, waits.count < Self.most else { return }
        waits[wait] = State(ended: ended, lastAsked: now)
    }

    /// The operations that have ended in a queue since a wait began; nil if the wait is forgotten.
    ///
    /// - Parameter ended: the counts of the queue's ended operations by now.
    mutating func counts(_ queue: String, since began: RecordMoment, ended: JobCounts, now: Timestamp) -> JobCounts? {
        let wait = Wait(queue: queue, began: began)
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
