@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTelemetry
@_spi(Baton) import BatonWire

/// Reads the spans of jobs from their histories.
struct JobSpanReader {
    /// The most jobs whose traces are remembered.
    private static let mostJobs = 10_000
    /// The most operations whose last attempts are remembered, for links to them.
    private static let mostAttempts = 200_000
    /// The most operations between two wanted ones that are read along, instead of in a further request.
    private static let smallGap: UInt32 = 100

    private let connection: ClientConnection
    private var traces: [JobNumber: JobTrace] = [:]
    /// The last attempts of finished operations of one job.
    private var known: (job: JobNumber, attempts: [UInt32: UInt32])?
    /// The dependencies of entries of one job, by the first operations of the entries.
    private var entries: (job: JobNumber, dependencies: [UInt32: [HistoryDependency]])?

    init(on connection: ClientConnection) {
        self.connection = connection
    }

    /// Passes the spans of a job on, page by page; a job that was deleted meanwhile has none.
    ///
    /// - Parameters:
    ///   - operations: the operations whose attempts are wanted.
    ///   - hasRoot: whether the span of the job is wanted, if the job is finished.
    /// - Returns: whether the job is finished.
    mutating func read(
        _ job: JobNumber,
        _ operations: IndexRanges,
        hasRoot: Bool,
        _ take: ([Span]) async throws -> Void
    ) async throws -> Bool {
        do {
            let trace = try await trace(of: job)
            var last: HistoryPage?
            let wanted = IndexRanges(operations.ranges, joiningGapsUpTo: Self.smallGap).ranges
            // A last request for the root span alone has no operations.
            for range in wanted.isEmpty ? [0..<1] : wanted {
                var next: UInt32? = range.lowerBound
                while let from = next, from < range.upperBound {
                    let page = try await page(job, from: from, limit: range.upperBound - from)
                    try await take(attempts(of: page, operations, trace))
                    last = page
                    next = page.next.flatMap { $0 > from ? $0 : nil }
                }
            }
            if hasRoot, let last, let root = JobSpans(of: last, wanted: operations, trace: trace).root {
                try await take([root])
            }
            return last?.finishedAt != nil
        } catch let error as ClientError where error.refusal?.code == .notFound {
            return true
        }
    }

    private mutating func attempts(
        of page: HistoryPage,
        _ wanted: IndexRanges,
        _ trace: JobTrace
    ) async throws -> [Span] {
        var spans = JobSpans(of: page, wanted: wanted, trace: trace)
        if let entry = spans.earlierEntry {
            spans.noteDependencies(of: entry, try await dependencies(ofEntry: entry, of: page.job))
        }
        var last = known?.job == page.job ? known?.attempts ?? [:] : [:]
        if last.count > Self.mostAttempts { last = [:] }
        last.merge(spans.lastAttempts) { $1 }
        let missing = spans.linked.filter { last[$0] == nil }
        for range in IndexRanges(missing.map { $0..<$0 + 1 }, joiningGapsUpTo: Self.smallGap).ranges {
            var next: UInt32? = range.lowerBound
            while let from = next, from < range.upperBound {
                let page = try await self.page(page.job, from: from, limit: range.upperBound - from)
                last.merge(JobSpans(of: page, wanted: wanted, trace: trace).lastAttempts) { $1 }
                next = page.next.flatMap { $0 > from ? $0 : nil }
            }
        }
        defer { known = (page.job, last) }
        return spans.attempts(lastAttempts: last)
    }

    private mutating func dependencies(ofEntry entry: UInt32, of job: JobNumber) async throws -> [HistoryDependency] {
        if entries?.job != job { entries = (job, [:]) }
        if let known = entries?.dependencies[entry] { return known }
        let page = try await page(job, from: entry, limit: 1)
        let dependencies = page.entries.first.map { $0.first == entry ? $0.dependencies : [] } ?? []
        entries?.dependencies[entry] = dependencies
        return dependencies
    }

    private func page(_ job: JobNumber, from: UInt32, limit: UInt32) async throws -> HistoryPage {
        let limit = min(limit, UInt32(HistoryPage.mostOperations))
        return try await connection.history(
            HistorySelection(job: job, from: from, limit: limit),
            timeout: GlobalOptions.answerTimeout
        )
    }

    private mutating func trace(of job: JobNumber) async throws -> JobTrace {
        if let trace = traces[job] { return trace }
        let bytes = try await connection.document(
            .job(job, from: 0, limit: 1),
            timeout: GlobalOptions.answerTimeout
        )
        let document = try DocumentReader.exact(JobDocument.self, from: bytes)
        guard let root = document.traceContext.flatMap({ TraceContext($0) }) else {
            throw ClientError.malformedReply("it does not name the span of job \(job).")
        }
        if traces.count >= Self.mostJobs { traces = [:] }
        let trace = JobTrace(root: root, parent: document.tags[JobTag.traceParent].flatMap { TraceContext($0) })
        traces[job] = trace
        return trace
    }
}
