import BatonOperations

/// What had ended in queues when waits for them began, so that they can be told what has ended since.
///
/// When an operation ended is its worker's to say, and may be before the wait began that it was still waited for in. So the
/// times in the record decide only where nobody remembers the wait: after a restart, or when it was long away.
struct QueueEnds {
    private struct Wait: Hashable {
        var queue: String
        var began: RecordMoment
    }

    private struct State {
        var ended: JobCounts
        var lastAsked: Timestamp
    }

    /// The most waits that are remembered.
    static let most = 10_000
    /// How long a wait is remembered that nobody asks about.
    static let patience = Duration.seconds(300)

    private var waits: [Wait: State] = [:]

    /// Remembers what had ended in a queue when a wait for it began; not beyond ``most``.
    ///
    /// - Parameter began: that moment, as the wait is told it; it names the wait.
    mutating func begin(_ queue: String, at began: RecordMoment, ended: JobCounts, now: Timestamp) {
        let wait = Wait(queue: queue, began: began)
        guard waits[wait] == nil, waits.count < Self.most else { return }
        waits[wait] = State(ended: ended, lastAsked: now)
    }

    /// What has ended in a queue since a wait for it began; nil where nobody remembers.
    ///
    /// - Parameter ended: what has ended in it by now.
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

    /// Forgets the waits that nobody has asked about for long.
    mutating func forgetOld(now: Timestamp) {
        waits = waits.filter { $0.value.lastAsked + Self.patience > now }
    }
}
