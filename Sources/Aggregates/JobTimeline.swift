@_spi(Baton) public import BatonDocuments
@_spi(Baton) public import BatonOperations
@_spi(Baton) import BatonTraces

/// Sums up what happened in a job during a window of time, from the pages of the job's history.
///
/// The timeline of an unfinished job shows the moment of the first page: what later pages tell of later moments is left out. The
/// memory grows with the buckets and workers, up to limits of both, and not with the operations.
@_spi(Baton) public struct JobTimeline {
    /// The most buckets.
    public static let mostBuckets = 600
    /// The most attempts that the document has one by one.
    public static let mostAttempts = 2_000
    /// The most workers with figures of their own, apart from one for the rest.
    public static let mostWorkers = 1_000
    /// The most figures of all workers together, so that a document stays below 300 kB; many buckets allow fewer workers.
    public static let mostFigures = 36_000

    private struct Attempt {
        var operation: UInt32
        var attempt: UInt32
        var worker: String?
        var start: Timestamp
        var end: Timestamp
        var outcome: String?
        var fetch: FetchRecord?
    }

    private let from: Timestamp?
    private let to: Timestamp?
    private let buckets: Int
    private var sums: TimelineSums?
    /// The attempts in the window; nil if there are too many.
    private var attempts: [Attempt]? = []

    /// Begins a timeline.
    ///
    /// - Parameters:
    ///   - from: the beginning of the window; nil for the submission of the job.
    ///   - to: the end of the window; nil for the end of the job, or the present while it is not finished.
    ///   - buckets: the most buckets, 1 to ``mostBuckets``.
    public init(from: Timestamp? = nil, to: Timestamp? = nil, buckets: Int = 120) {
        self.from = from
        self.to = to
        self.buckets = min(max(1, buckets), Self.mostBuckets)
    }

    /// Adds a page; pages have to come in order, from the first to the last.
    public mutating func add(_ page: HistoryPage) {
        var sums = self.sums ?? TimelineSums(page, window(of: page))
        self.sums = nil
        let fetches = Dictionary(page.fetches.map { (Self.key($0.operation, $0.attempt), $0.fetch) }) { $1 }
        func fetch(_ operation: UInt32, _ attempt: UInt32) -> FetchRecord? {
            fetches.isEmpty ? nil : fetches[Self.key(operation, attempt)]
        }
        for attempt in page.attempts {
            // Without a start, the attempt was lost before it ran.
            guard let start = attempt.startedAt else { continue }
            add(
                Attempt(
                    operation: attempt.operation,
                    attempt: attempt.attempt,
                    worker: attempt.worker,
                    start: start,
                    end: attempt.endedAt,
                    outcome: attempt.outcome.rawValue,
                    fetch: fetch(attempt.operation, attempt.attempt)
                ),
                to: &sums
            )
        }
        var earlier = EarlierAttemptNumbers(page)
        for operation in page.operations {
            if operation.state == .finished, let end = operation.finishedAt {
                sums.finish(Int(operation.count), at: end, isFailure: operation.outcome == .failed)
            }
            guard operation.attempt > earlier.last(of: operation.first), let start = operation.startedAt else {
                continue
            }
            let isExecuting = operation.state == .executing
            guard let end = isExecuting ? .distantFuture : operation.finishedAt else { continue }
            add(
                Attempt(
                    operation: operation.first,
                    attempt: operation.attempt,
                    worker: operation.worker,
                    start: start,
                    end: end,
                    outcome: isExecuting ? nil : operation.lastAttemptOutcome.rawValue,
                    fetch: fetch(operation.first, operation.attempt)
                ),
                to: &sums
            )
        }
        self.sums = sums
    }

    private static func key(_ operation: UInt32, _ attempt: UInt32) -> UInt64 {
        UInt64(operation) << 32 | UInt64(attempt)
    }

    private func window(of page: HistoryPage) -> TimelineWindow {
        let end = to ?? page.finishedAt ?? page.moment
        // A window without a beginning that ends before the submission has nothing to show, and is a microsecond long.
        let start = from ?? (to == nil ? page.submittedAt : min(page.submittedAt, end.before(microseconds: 1)))
        return TimelineWindow(from: start, to: end, buckets: buckets)
    }

    private mutating func add(_ attempt: Attempt, to sums: inout TimelineSums) {
        guard attempt.start <= sums.horizon else { return }
        var attempt = attempt
        if attempt.end > sums.horizon { (attempt.end, attempt.outcome) = (sums.horizon, nil) }
        attempt.end = max(attempt.start, attempt.end)
        guard attempt.start <= sums.window.to, attempt.end >= sums.window.from else { return }
        sums.execute(on: attempt.worker, attempt.start, attempt.end)
        guard let count = attempts?.count else { return }
        if count < Self.mostAttempts { attempts?.append(attempt) } else { attempts = nil }
    }

    /// The timeline; nil before the first page.
    ///
    /// - Complexity: O(buckets · workers + attempts · log attempts).
    public var document: TimelineDocument? {
        guard let sums else { return nil }
        return TimelineDocument(
            from: sums.window.from,
            to: sums.window.to,
            bucketSeconds: Double(sums.window.bucketLength) / 1e6,
            buckets: sums.buckets,
            workers: sums.workers,
            operations: attempts.map { Self.placed($0, sums) }
        )
    }

    /// The attempts in lanes of their workers, as a trace has them.
    private static func placed(_ attempts: [Attempt], _ sums: TimelineSums) -> [TimelineDocument.Attempt] {
        var lanes: [String?: LaneTable] = [:]
        let order = attempts.sorted { ($0.start, $0.operation, $0.attempt) < ($1.start, $1.operation, $1.attempt) }
        return order.map { attempt in
            let slots = attempt.worker.flatMap { sums.slots[$0] }
            let place = lanes[attempt.worker, default: LaneTable(slots: slots)].place(
                attempt.start.rawValue,
                attempt.end.rawValue
            )
            return TimelineDocument.Attempt(
                operation: OperationID(job: sums.job, index: attempt.operation),
                attempt: attempt.attempt,
                worker: attempt.worker,
                lane: place.lane,
                from: Timestamp(rawValue: place.start),
                to: Timestamp(rawValue: place.end),
                outcome: attempt.outcome,
                fetch: attempt.fetch.map { TimelineDocument.Fetch($0) }
            )
        }
    }
}
