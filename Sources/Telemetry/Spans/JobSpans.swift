@_spi(Baton) public import BatonOperations

/// Turns a page of a job's history into spans: one for each attempt that has ended, and one for each fetch of files before an attempt.
///
/// The span of a fetch is a child of its attempt's, although it ends before the attempt starts: viewers show it there.
/// An operation that was finished without an attempt has one span without length, so that links to it lead somewhere. The spans link to
/// those of the last attempts of the operation's dependencies within the job.
@_spi(Baton) public struct JobSpans {
    private let page: HistoryPage
    private let wanted: IndexRanges
    private let trace: JobTrace
    /// What was fetched for attempts, by operation and attempt.
    private let fetches: [AttemptKey: FetchRecord]
    /// The files that attempts left.
    private let files: [AttemptKey: HistoryFiles]
    /// The common dependencies of entries that begin before the page, by their first operations.
    private var dependencies: [UInt32: [HistoryDependency]] = [:]

    /// Prepares the spans of a page.
    ///
    /// - Parameters:
    ///   - page: the page.
    ///   - wanted: the operations whose spans are wanted.
    ///   - trace: the trace of the job.
    public init(of page: HistoryPage, wanted: IndexRanges, trace: JobTrace) {
        self.page = page
        self.wanted = wanted
        self.trace = trace
        fetches = Dictionary(page.fetches.map { (AttemptKey($0.operation, $0.attempt), $0.fetch) }) { $1 }
        files = Dictionary(page.files.map { (AttemptKey($0.operation, $0.attempt), $0) }) { $1 }
    }

    private struct AttemptKey: Hashable {
        let operation: UInt32
        let attempt: UInt32

        init(_ operation: UInt32, _ attempt: UInt32) {
            self.operation = operation
            self.attempt = attempt
        }
    }

    // MARK: What other pages tell

    /// The entry with wanted operations that begins before the page, by its first operation; nil for none.
    ///
    /// Only the page that begins with this entry has the entry's dependencies: see ``noteDependencies(of:_:)``.
    public var earlierEntry: UInt32? {
        guard let entry = page.entries.first, entry.first < page.from else { return nil }
        return page.operations.contains { entry.range.contains($0.first) && isWanted($0) } ? entry.first : nil
    }

    /// Notes the dependencies of an entry that begins before the page.
    public mutating func noteDependencies(of entry: UInt32, _ dependencies: [HistoryDependency]) {
        self.dependencies[entry] = dependencies
    }

    /// The last attempts of the finished operations of the page, by index; of others, the last attempt may be yet to come.
    public var lastAttempts: [UInt32: UInt32] {
        var attempts: [UInt32: UInt32] = [:]
        for operation in page.operations where operation.state == .finished {
            for index in operation.range { attempts[index] = operation.attempt }
        }
        return attempts
    }

    /// The operations that the spans link to.
    ///
    /// - Complexity: O(operations of the page · their dependencies).
    public var linked: Set<UInt32> {
        var linked: Set<UInt32> = []
        var known: [HistoryDependency] = []
        for operation in page.operations where isWanted(operation) {
            guard let entry = entry(of: operation.first) else { continue }
            for index in operation.range where wanted.contains(index) {
                let dependencies = dependencies(of: index, entry)
                // The elements of an array mostly have the same.
                guard dependencies != known else { continue }
                known = dependencies
                linked.formUnion(Self.first(of: dependencies))
            }
        }
        return linked
    }

    private func isWanted(_ operation: OperationHistory) -> Bool {
        operation.count == 1 ? wanted.contains(operation.first) : operation.range.contains(where: wanted.contains)
    }

    /// The dependencies of an operation, by the indices of the first ones up to the most links.
    private static func first(of dependencies: [HistoryDependency]) -> [UInt32] {
        var indices: [UInt32] = []
        for dependency in dependencies {
            let end = dependency.first + min(dependency.count, .max - dependency.first)
            for index in dependency.first..<end {
                guard indices.count < Span.mostLinks else { return indices }
                indices.append(index)
            }
        }
        return indices
    }

    private func dependencies(of operation: UInt32, _ entry: HistoryEntry) -> [HistoryDependency] {
        if let change = entry.changes.first(where: { $0.operation == operation }) { return change.dependencies }
        let common = entry.first < page.from ? dependencies[entry.first] ?? [] : entry.dependencies
        return common.ofElement(at: operation - entry.first)
    }

    // MARK: Spans

    /// The span of the whole job; nil while the job is not finished.
    public var root: Span? {
        guard let finishedAt = page.finishedAt else { return nil }
        let outcome = page.counts.outcome
        var attributes = pipeline
        attributes.append(SpanAttribute("cicd.pipeline.result", SpanResult(outcome).rawValue))
        let isFailed = outcome == .failed
        if isFailed { attributes.append(SpanAttribute("error.type", "failed")) }
        var span = Span(
            context: trace.root,
            parent: trace.parent?.span,
            name: page.name ?? "job",
            kind: .server,
            startedAt: page.submittedAt,
            endedAt: finishedAt,
            attributes: attributes
        )
        if isFailed {
            span.failure = "\(page.counts.failed) of \(page.counts.total) operations failed."
        }
        return span
    }

    /// The spans of the wanted operations.
    ///
    /// - Parameter lastAttempts: the last attempts of ``linked``, as far as they are known.
    public func attempts(lastAttempts: [UInt32: UInt32]) -> [Span] {
        var spans: [Span] = []
        var earlier: [UInt32: UInt32] = [:]
        for attempt in page.attempts {
            earlier[attempt.operation] = attempt.attempt
            guard wanted.contains(attempt.operation), let entry = entry(of: attempt.operation) else { continue }
            spans.append(linked(span(of: attempt, entry), to: attempt.operation, entry, lastAttempts))
            addFetch(for: attempt.attempt, of: attempt.operation, attempt.worker, entry, to: &spans)
        }
        for operation in page.operations where operation.state == .finished {
            // The last attempt of an operation that was cancelled while it waited for the next one is among the earlier ones.
            guard operation.attempt == 0 || earlier[operation.first] != operation.attempt,
                let finishedAt = operation.finishedAt, let entry = entry(of: operation.first)
            else { continue }
            for index in operation.range where wanted.contains(index) {
                let span = span(of: operation, at: index, finishedAt, entry)
                spans.append(linked(span, to: index, entry, lastAttempts))
                addFetch(for: operation.attempt, of: index, operation.worker, entry, to: &spans)
            }
        }
        return spans
    }

    /// Adds the span of what was fetched for an attempt, if anything was.
    private func addFetch(
        for attempt: UInt32,
        of operation: UInt32,
        _ worker: String?,
        _ entry: HistoryEntry,
        to spans: inout [Span]
    ) {
        guard !fetches.isEmpty, let fetch = fetches[AttemptKey(operation, attempt)] else { return }
        var attributes = pipeline
        attributes.append(SpanAttribute("cicd.pipeline.task.run.id", description(of: operation)))
        if let worker { attributes.append(SpanAttribute("cicd.worker.name", worker)) }
        attributes.append(SpanAttribute("baton.attempt", attempt))
        attributes += Self.sizes(fetch.files, fetch.bytes)
        spans.append(
            Span(
                context: trace.context(ofFetchFor: attempt, of: operation),
                parent: trace.span(ofAttempt: attempt, of: operation),
                name: "fetch files",
                kind: .internal,
                startedAt: fetch.sentAt,
                endedAt: fetch.arrivedAt,
                attributes: attributes
            )
        )
    }

    private func entry(of operation: UInt32) -> HistoryEntry? {
        var (low, high) = (0, page.entries.count)
        while low < high {
            let middle = (low + high) / 2
            if page.entries[middle].first <= operation { low = middle + 1 } else { high = middle }
        }
        guard low > 0, page.entries[low - 1].range.contains(operation) else { return nil }
        return page.entries[low - 1]
    }

    private func span(of attempt: EarlierAttempt, _ entry: HistoryEntry) -> Span {
        var result = SpanResult(attempt.outcome)
        if attempt.reason == .timeout { result = .timeout }
        var span = Span(
            context: trace.context(ofAttempt: attempt.attempt, of: attempt.operation),
            parent: trace.root.span,
            name: entry.name ?? "operation",
            kind: .consumer,
            startedAt: attempt.startedAt ?? attempt.endedAt,
            endedAt: attempt.endedAt,
            attributes: task(attempt.operation, attempt.attempt, attempt.worker, entry)
        )
        span.end(as: result, attempt.reason, attempt.exitStatus, attempt.signal, worker: attempt.worker)
        return span
    }

    private func span(
        of operation: OperationHistory,
        at index: UInt32,
        _ finishedAt: Timestamp,
        _ entry: HistoryEntry
    ) -> Span {
        var result = operation.attempt == 0 ? SpanResult(operation.outcome) : SpanResult(operation.lastAttemptOutcome)
        if operation.outcome == .failed, operation.reason == .timeout { result = .timeout }
        var span = Span(
            context: trace.context(ofAttempt: operation.attempt, of: index),
            parent: trace.root.span,
            name: entry.name ?? "operation",
            kind: .consumer,
            startedAt: operation.attempt == 0 ? finishedAt : operation.startedAt ?? finishedAt,
            endedAt: finishedAt,
            attributes: task(index, operation.attempt, operation.worker, entry)
        )
        span.end(as: result, operation.reason, operation.exitStatus, operation.signal, worker: operation.worker)
        return span
    }

    private func linked(
        _ span: Span,
        to operation: UInt32,
        _ entry: HistoryEntry,
        _ lastAttempts: [UInt32: UInt32]
    ) -> Span {
        let dependencies = dependencies(of: operation, entry)
        guard !dependencies.isEmpty else { return span }
        var span = span
        for index in Self.first(of: dependencies) {
            guard let attempt = lastAttempts[index] else { continue }
            span.links.append(trace.span(ofAttempt: attempt, of: index))
        }
        let count = dependencies.reduce(0) { $0 + Int($1.count) }
        span.droppedLinks = count - span.links.count
        return span
    }

    // MARK: Attributes

    private var pipeline: [SpanAttribute] {
        var attributes: [SpanAttribute] = []
        if let name = page.name { attributes.append(SpanAttribute("cicd.pipeline.name", name)) }
        attributes.append(SpanAttribute("cicd.pipeline.run.id", page.job.description))
        return attributes
    }

    private func task(_ index: UInt32, _ attempt: UInt32, _ worker: String?, _ entry: HistoryEntry) -> [SpanAttribute] {
        let id = description(of: index)
        var attributes = pipeline
        attributes.append(SpanAttribute("cicd.pipeline.task.name", entry.name(of: index) ?? id))
        attributes.append(SpanAttribute("cicd.pipeline.task.run.id", id))
        if let worker, attempt > 0 { attributes.append(SpanAttribute("cicd.worker.name", worker)) }
        attributes.append(SpanAttribute("baton.queue", entry.queue))
        attributes.append(SpanAttribute("baton.attempt", attempt))
        if !files.isEmpty, let files = files[AttemptKey(index, attempt)] {
            attributes += Self.sizes(files.count, files.bytes)
        }
        return attributes
    }

    private func description(of operation: UInt32) -> String {
        OperationID(job: page.job, index: operation).description
    }

    /// How many files there were, and how long they were together.
    private static func sizes(_ count: UInt32, _ bytes: Int64) -> [SpanAttribute] {
        [SpanAttribute("baton.files.count", count), SpanAttribute("baton.files.bytes", bytes)]
    }
}
