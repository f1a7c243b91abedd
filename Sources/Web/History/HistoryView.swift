@_spi(Baton) import BatonAggregates
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations

/// A document about a job that is made of the pages of the job's history.
enum HistoryView: Hashable, Sendable {
    /// A form of a job's graph.
    enum GraphForm: Hashable, Sendable {
        case json, dot, svg
    }

    /// The operations in groups.
    case groups(JobGroups.Criterion)
    /// A window of time.
    case timeline(from: Timestamp?, to: Timestamp?, buckets: Int)
    /// The graph of operations or groups.
    case graph(GraphForm)
    /// The operations that wait for an operation directly.
    case dependents(of: UInt32, limit: Int)

    /// What a page that shows a job asks for when it is opened; what is asked for later has a reading of its own, so that the first
    /// answer does not wait for it.
    static let usual: [HistoryView] = [.groups(.name), .groups(.worker)]
    /// The most buckets of a timeline whose request has no number.
    static let usualBuckets = 120

    /// Whether all pages of a history are read for the view, so that other documents can be made of them as well.
    var needsAllPages: Bool {
        if case .dependents = self { false } else { true }
    }

    /// Makes the document of the first view from the pages of a job.
    ///
    /// A job of several pages makes the other documents as well, if all pages are read.
    static func documents(
        of job: JobNumber,
        _ views: [HistoryView],
        _ context: RouteContext
    ) async throws(WebRefusal) -> [HistoryView: HistoryDocument] {
        // The pages are newer than this event: nothing up to it is missing.
        let newest = context.newestEvent
        if let view = views.first, case .dependents(let operation, let limit) = view {
            let id = OperationID(job: job, index: operation)
            let (document, finishedAt) = try await context.dependents(of: id, limit: limit)
            let json = document.json.withMembers { $0.member("seq", newest) }
            return [view: HistoryDocument(.json, json, finishedAt: finishedAt)]
        }
        var folds: [HistoryFold] = []
        var finishedAt: Timestamp?
        try await context.forEachPage(of: job) { page throws(WebRefusal) in
            if folds.isEmpty {
                try views.first?.check(page)
                finishedAt = page.finishedAt
                // A short history is read again sooner than something is made that nobody asks for.
                folds = views.prefix(page.next == nil ? 1 : views.count).map { HistoryFold($0) }
            }
            for place in folds.indices { folds[place].add(page) }
        }
        var documents: [HistoryView: HistoryDocument] = [:]
        for fold in folds { documents[fold.view] = fold.document(newestEvent: newest, finishedAt: finishedAt) }
        return documents
    }

    /// Refuses a window of which one end is given, and the other one, that of the job, is not behind or before it.
    ///
    /// A window of two given ends may lie outside the job, and is then empty.
    private func check(_ page: HistoryPage) throws(WebRefusal) {
        guard case .timeline(let from, let to, _) = self else { return }
        let end = page.finishedAt ?? page.moment
        // The window of a job that took no time has a microsecond.
        if let from, to == nil, from >= max(end, page.submittedAt + .microseconds(1)) {
            throw WebRefusal(
                400,
                "usage",
                page.finishedAt == nil
                    ? "\"from\" in the query has to be before the present, \(end), or needs a \"to\"."
                    : "\"from\" in the query has to be before the end of the job at \(end), or needs a \"to\"."
            )
        }
        if let to, from == nil, to <= page.submittedAt {
            throw WebRefusal(
                400,
                "usage",
                "\"to\" in the query has to be after the submission of the job at \(page.submittedAt), or needs a \"from\"."
            )
        }
    }
}
