@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations

/// Turns the pages of a job's history into the items of a trace.
///
/// The trace of an unfinished job shows the moment of the first page: what later pages tell of later moments is left out.
struct TraceCollector {
    /// The first page, without its lists.
    let head: HistoryPage
    private var sorter: TimeSorter
    private(set) var flows = TraceFlows()
    /// The workers, by their places in the table; nil stands for an unknown worker.
    private(set) var workers: [String?] = []
    /// The slots of known workers.
    let slots: [String: Int]
    /// The number of attempts of the job.
    private(set) var attempts = 0
    /// The number of attempts in the trace.
    private(set) var shown = 0

    private let mostShown: Int
    private let critical: Set<UInt32>
    private var places: [String?: UInt32] = [:]
    /// What was fetched for attempts of the present page.
    private var fetches: [UInt64: HistoryFetch] = [:]
    /// The dependencies of the entry that the last page ended with.
    private var lastDependencies: (entry: UInt32, dependencies: [HistoryDependency])?

    /// - Parameter first: the first page of the history.
    init(_ first: HistoryPage, sorter: TimeSorter, mostShown: Int) {
        var head = first
        (head.entries, head.operations, head.attempts, head.workers) = ([], [], [], [])
        (head.fetches, head.files) = ([], [])
        self.head = head
        self.sorter = sorter
        self.mostShown = mostShown
        critical = Set(first.criticalPath)
        slots = Dictionary(first.workers.map { ($0.name, Int($0.slots)) }) { $1 }
        flows.add(path: first.criticalPath)
    }

    /// The time from the submission of the job, in microseconds, never negative.
    func time(_ moment: Timestamp) -> Int64 { min(max(0, (moment - head.submittedAt).microseconds), .max >> 2) }

    /// The end of the trace, in microseconds from the submission of the job.
    var end: Int64 { time(head.finishedAt ?? head.moment) }

    /// Adds a page; pages have to come in order.
    mutating func add(_ page: HistoryPage) throws(TraceError) {
        for entry in page.entries where !flows.isCut { addFlows(to: entry, of: page) }
        fetches = Dictionary(page.fetches.map { (Self.key($0.operation, $0.attempt), $0) }) { $1 }
        var earlier: [UInt32: UInt32] = [:]
        for attempt in page.attempts { earlier[attempt.operation] = attempt.attempt }
        for attempt in page.attempts where !isLater(attempt.startedAt ?? attempt.endedAt, than: page) {
            try add(attempt, entry: page.entry(of: attempt.operation), isRunning: isLater(attempt.endedAt, than: page))
        }
        for operation in page.operations {
            try add(operation, earlierAttempt: earlier[operation.first], of: page)
        }
    }

    /// The items so far, in the order of their times; the collector has none afterwards.
    mutating func takeItems() throws(TraceError) -> SortedItems { try sorter.takeItems() }

    /// The name of all fetches.
    static let fetchName = "fetch files"

    /// Adds what was fetched for an attempt of the present page, if anything was.
    private mutating func addFetch(
        for attempt: UInt32,
        of operation: UInt32,
        _ worker: String?,
        _ entry: HistoryEntry?
    ) throws(TraceError) {
        guard !fetches.isEmpty, let fetch = fetches[Self.key(operation, attempt)] else { return }
        let start = time(fetch.fetch.sentAt)
        let item = TraceItem.fetch(
            worker: place(of: worker),
            duration: max(0, time(fetch.fetch.arrivedAt) - start),
            event: event(fetch, entry)[...]
        )
        try sorter.append(item.bytes, at: start)
    }

    private static func key(_ operation: UInt32, _ attempt: UInt32) -> UInt64 {
        UInt64(operation) << 32 | UInt64(attempt)
    }

    private mutating func addFlows(to entry: HistoryEntry, of page: HistoryPage) {
        if entry.first >= page.from { lastDependencies = (entry.first, entry.dependencies) }
        let common = lastDependencies?.entry == entry.first ? lastDependencies?.dependencies ?? [] : []
        var changes = entry.changes[...]
        let operations = max(entry.first, page.from)..<min(entry.range.upperBound, page.next ?? .max)
        for operation in operations {
            if let change = changes.first, change.operation == operation {
                flows.add(change.dependencies, of: operation)
                changes = changes.dropFirst()
            } else if common.isEmpty {
                guard let next = changes.first?.operation else { return }
                guard next > operation else { continue }
            } else {
                flows.add(common.ofElement(at: operation - entry.first), of: operation)
            }
            guard !flows.isCut else { return }
        }
    }

    /// Whether a later page tells of a moment after that of the trace.
    private func isLater(_ moment: Timestamp, than page: HistoryPage) -> Bool {
        // Without the second condition, a clock that was set back would hide attempts.
        head.finishedAt == nil && moment > head.moment && moment <= page.moment && page.from != head.from
    }

    private mutating func add(_ attempt: EarlierAttempt, entry: HistoryEntry?, isRunning: Bool) throws(TraceError) {
        attempts += 1
        guard shown < mostShown else { return }
        shown += 1
        let worker = place(of: attempt.worker)
        let end = attempt.outcome.rawValue
        var flags: TraceSlice.Flags = attempt.outcome == .lost ? [.lost] : []
        guard let startedAt = attempt.startedAt else {
            let loss = TraceItem.loss(worker: worker, event: event("i", "lost", end, attempt, entry)[...])
            return try sorter.append(loss.bytes, at: time(attempt.endedAt))
        }
        let start = time(startedAt)
        if isRunning { flags = [.executing] }
        let slice = TraceSlice(
            flags: flags,
            duration: max(0, (isRunning ? self.end : time(attempt.endedAt)) - start),
            worker: worker,
            operation: attempt.operation,
            attempt: attempt.attempt,
            event: event("X", nil, isRunning ? "executing" : end, attempt, entry)[...]
        )
        try sorter.append(TraceItem.slice(slice).bytes, at: start)
        try addFetch(for: attempt.attempt, of: attempt.operation, attempt.worker, entry)
    }

    private mutating func add(
        _ operation: OperationHistory,
        earlierAttempt: UInt32?,
        of page: HistoryPage
    ) throws(TraceError) {
        // The last attempt of an operation that waits for its next one, or was cancelled then, is among the earlier attempts.
        let hasAttempt = operation.attempt > 0 && earlierAttempt != operation.attempt
        let readyAt = operation.readyAt.flatMap { isLater($0, than: page) ? nil : time($0) }
        guard hasAttempt, let startedAt = operation.startedAt, !isLater(startedAt, than: page),
            let finishedAt = operation.state == .executing ? head.moment : operation.finishedAt
        else {
            try addWait(of: operation, since: readyAt, hasStarted: operation.attempt > 0 && !hasAttempt, page)
            return
        }
        attempts += 1
        guard shown < mostShown else { return }
        shown += 1
        let start = time(startedAt)
        let isExecuting = operation.state == .executing || isLater(finishedAt, than: page)
        var flags: TraceSlice.Flags = [.last]
        if isExecuting { flags.insert(.executing) }
        let outcome = isExecuting ? .executing : operation.lastAttemptOutcome
        if outcome == .lost { flags.insert(.lost) }
        if let readyAt {
            flags.insert(.wasReady)
            try sorter.append(TraceItem.ready(1).bytes, at: min(readyAt, start))
        }
        let slice = TraceSlice(
            flags: flags,
            duration: max(0, (isExecuting ? end : time(finishedAt)) - start),
            worker: place(of: operation.worker),
            operation: operation.first,
            attempt: operation.attempt,
            event: event(
                operation,
                end: outcome.rawValue,
                isEnded: !isExecuting,
                waited: readyAt.map { max(0, start - $0) },
                page.entry(of: operation.first)
            )[...]
        )
        try sorter.append(TraceItem.slice(slice).bytes, at: start)
        try addFetch(for: operation.attempt, of: operation.first, operation.worker, page.entry(of: operation.first))
    }

    /// Counts operations as ready that have not started, or never started.
    private mutating func addWait(
        of operation: OperationHistory,
        since readyAt: Int64?,
        hasStarted: Bool,
        _ page: HistoryPage
    ) throws(TraceError) {
        guard let readyAt, operation.state == .ready || !hasStarted, operation.state != .pending else { return }
        let count = Int64(operation.count)
        try sorter.append(TraceItem.ready(count).bytes, at: readyAt)
        guard operation.state == .finished, let finishedAt = operation.finishedAt, !isLater(finishedAt, than: page)
        else { return }
        try sorter.append(TraceItem.ready(-count).bytes, at: max(readyAt, time(finishedAt)))
    }

    private mutating func place(of worker: String?) -> UInt32 {
        if let place = places[worker] { return place }
        let place = UInt32(workers.count)
        workers.append(worker)
        places[worker] = place
        return place
    }

    // MARK: Events

    /// The members of the event that begins a fetch, in an open object.
    private func event(_ fetch: HistoryFetch, _ entry: HistoryEntry?) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("ph", "b")
        writer.member("name", Self.fetchName)
        writer.member("cat", "fetch")
        writer.key("args")
        writer.beginObject()
        writer.member("operation", OperationID(job: head.job, index: fetch.operation).description)
        writer.member("name", entry?.name(of: fetch.operation))
        writer.member("attempt", fetch.attempt)
        writer.member("files", fetch.fetch.files)
        writer.member("bytes", fetch.fetch.bytes)
        writer.endObject()
        return writer.bytes
    }

    /// The members of an earlier attempt's event, in an open object.
    private func event(
        _ phase: String,
        _ name: String?,
        _ end: String,
        _ attempt: EarlierAttempt,
        _ entry: HistoryEntry?
    ) -> [UInt8] {
        let id = OperationID(job: head.job, index: attempt.operation)
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("ph", phase)
        writer.member("name", name ?? entry?.name(of: attempt.operation) ?? id.description)
        writer.member("cat", end)
        writer.key("args")
        writer.beginObject()
        writer.member("operation", id.description)
        writer.member("attempt", attempt.attempt)
        writer.member("queue", entry?.queue)
        writer.member("outcome", nil as String?)
        writer.member("reason", attempt.reason.rawValue)
        writer.member("exitStatus", attempt.exitStatus)
        writer.member("waitedSeconds", nil as Double?)
        writer.member("critical", false)
        writer.endObject()
        return writer.bytes
    }

    /// The members of the event of an operation's last attempt, in an open object.
    private func event(
        _ operation: OperationHistory,
        end: String,
        isEnded: Bool,
        waited: Int64?,
        _ entry: HistoryEntry?
    ) -> [UInt8] {
        let id = OperationID(job: head.job, index: operation.first)
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("ph", "X")
        writer.member("name", entry?.name(of: operation.first) ?? id.description)
        writer.member("cat", end)
        writer.key("args")
        writer.beginObject()
        writer.member("operation", id.description)
        writer.member("attempt", operation.attempt)
        writer.member("queue", entry?.queue)
        writer.member("outcome", isEnded ? operation.outcome?.description : nil)
        writer.member("reason", isEnded ? operation.reason?.rawValue : nil)
        writer.member("exitStatus", isEnded ? operation.exitStatus : nil)
        writer.member("waitedSeconds", waited.map { Double($0) / 1e6 })
        writer.member("critical", critical.contains(operation.first))
        writer.endObject()
        return writer.bytes
    }
}
