@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore

/// Remembers what a cluster did in each second of the last quarter of an hour, and in each minute of the last day.
///
/// Owns some bytes for each of these seconds and minutes, and no more.
struct ThroughputRing {
    /// The sums and numbers of a moment.
    struct Moment {
        /// The number of starts of attempts since the record was made.
        var started: UInt64 = 0
        /// The number of operations that have succeeded since the start of the coordinator.
        var succeeded = 0
        /// The number of operations that have failed since the start of the coordinator.
        var failed = 0
        /// The number of executing operations.
        var executing = 0
        /// The number of ready operations.
        var ready = 0
    }

    /// The parts of one length.
    fileprivate struct Row {
        let length: Int64
        let capacity: Int
        /// The number of the part that is not over yet, counted from 1970.
        var present: Int64
        /// What was the case at the beginning of the present part.
        var beginning: Moment
        /// The parts that are over, oldest first, without a gap up to the present one.
        var parts: [Part] = []

        init(length: Int64, capacity: Int, at now: Timestamp, beginning: Moment) {
            (self.length, self.capacity, self.beginning) = (length, capacity, beginning)
            present = now.rawValue / length
        }
    }

    fileprivate struct Part {
        var started: UInt32 = 0
        var succeeded: UInt32 = 0
        var failed: UInt32 = 0
        var executing: UInt32 = 0
        var ready: UInt32 = 0
    }

    private var seconds: Row
    private var minutes: Row
    /// When the present second is over.
    private var secondEnd: Timestamp

    /// The number of seconds that are remembered.
    static let mostSeconds = 900
    /// The number of minutes that are remembered.
    static let mostMinutes = 1_440

    /// Starts with the parts of the last hour before, which are in the record.
    ///
    /// - Parameter beginning: the sums at the start, which are no part of what happens later.
    init(at now: Timestamp, beginning: Moment = Moment(), earlier: RecentEnds = RecentEnds()) {
        seconds = Row(length: 1_000_000, capacity: Self.mostSeconds, at: now, beginning: beginning)
        minutes = Row(length: 60_000_000, capacity: Self.mostMinutes, at: now, beginning: beginning)
        seconds.begin(with: earlier)
        minutes.begin(with: earlier)
        secondEnd = seconds.end
    }

    /// Notes what is the case now, at the beginning of each turn; only the first turn of a second counts.
    ///
    /// What has happened up to then belongs to the second of the turn before, because the coordinator has slept since.
    ///
    /// - Returns: whether the turn is the first one of a second.
    @discardableResult
    mutating func note(_ moment: @autoclosure () -> Moment, at now: Timestamp) -> Bool {
        guard now >= secondEnd else { return false }
        let moment = moment()
        seconds.note(moment, at: now)
        minutes.note(moment, at: now)
        secondEnd = seconds.end
        return true
    }

    /// The parts of the last seconds, without the present part.
    ///
    /// - Parameters:
    ///   - duration: the length of the time in seconds, up to a day; above a quarter of an hour, the parts are minutes.
    ///   - ahead: how far shown times are ahead of those of the ring.
    func document(ofLast duration: Int, aheadBy ahead: Duration = .zero) -> ThroughputDocument {
        let row = duration <= Self.mostSeconds ? seconds : minutes
        let length = Int(row.length / 1_000_000)
        return ThroughputDocument(
            bucketSeconds: length,
            buckets: row.buckets(atMost: (duration + length - 1) / length, aheadBy: ahead)
        )
    }
}

extension ThroughputRing.Row {
    /// When the present part is over.
    fileprivate var end: Timestamp { Timestamp(rawValue: (present + 1) * length) }

    /// Fills in the parts before the present one, from the first one in which something happened.
    fileprivate mutating func begin(with earlier: RecentEnds) {
        let secondsOfPart = length / 1_000_000
        var sums: [Int64: ThroughputRing.Part] = [:]
        for (second, figures) in earlier.seconds {
            let number = second / secondsOfPart
            if number == present {
                // What happened before the start in the part that is not over.
                beginning.started &-= UInt64(clamping: figures.started)
                beginning.succeeded -= figures.succeeded
                beginning.failed -= figures.failed
            }
            guard (present - Int64(capacity)..<present).contains(number) else { continue }
            sums[number, default: ThroughputRing.Part()].add(figures)
        }
        guard let first = sums.keys.min() else { return }
        for number in first..<present { append(sums[number] ?? ThroughputRing.Part()) }
    }

    /// Ends the present part, and those without any turn behind it, if their time is over.
    fileprivate mutating func note(_ moment: ThroughputRing.Moment, at now: Timestamp) {
        let number = now.rawValue / length
        guard number > present else { return }
        append(ThroughputRing.Part(moment, since: beginning))
        // Parts beyond the capacity would replace each other.
        for _ in 0..<min(number - present - 1, Int64(capacity)) {
            append(ThroughputRing.Part(moment, since: moment))
        }
        (present, beginning) = (number, moment)
    }

    private mutating func append(_ part: ThroughputRing.Part) {
        if parts.count == capacity { parts.removeFirst() }
        parts.append(part)
        invariant(parts.count <= capacity, "A row of figures is longer than it may be.")
    }

    fileprivate func buckets(atMost limit: Int, aheadBy ahead: Duration) -> [ThroughputDocument.Bucket] {
        // Parts begin with a second.
        let ahead = ahead.microseconds / 1_000_000 * 1_000_000
        return parts.suffix(limit).enumerated().map { position, part in
            let number = present - Int64(min(limit, parts.count) - position)
            return ThroughputDocument.Bucket(
                time: Timestamp(rawValue: number * length + ahead),
                started: UInt64(part.started),
                succeeded: UInt64(part.succeeded),
                failed: UInt64(part.failed),
                executing: Int(part.executing),
                ready: Int(part.ready)
            )
        }
    }
}

extension ThroughputRing.Part {
    /// Adds what the record says of a second.
    fileprivate mutating func add(_ second: RecentEnds.Second) {
        started = UInt32(clamping: Int(started) + second.started)
        succeeded = UInt32(clamping: Int(succeeded) + second.succeeded)
        failed = UInt32(clamping: Int(failed) + second.failed)
    }

    /// The part between two moments.
    fileprivate init(_ end: ThroughputRing.Moment, since beginning: ThroughputRing.Moment) {
        self.init(
            started: UInt32(clamping: end.started &- beginning.started),
            succeeded: UInt32(clamping: end.succeeded - beginning.succeeded),
            failed: UInt32(clamping: end.failed - beginning.failed),
            executing: UInt32(clamping: end.executing),
            ready: UInt32(clamping: end.ready)
        )
    }
}
