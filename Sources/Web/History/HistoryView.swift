@_spi(Baton) import BatonAggregates
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonDrawings
@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations

/// A document about a job that is made of all pages of the job's history.
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

    /// Makes the document from the pages of a job.
    func document(of job: JobNumber, _ context: RouteContext) async throws(WebRefusal) -> HistoryDocument {
        // The pages are newer than this event: nothing up to it is missing.
        let newest = try await context.newestEvent()
        var finishedAt: Timestamp?
        var isFirst = true
        func forEachPage(_ body: (HistoryPage) -> Void) async throws(WebRefusal) {
            try await context.forEachPage(of: job) { page in
                if isFirst { finishedAt = page.finishedAt }
                isFirst = false
                body(page)
            }
        }
        var json: [UInt8]?
        switch self {
        case .groups(let criterion):
            var groups = JobGroups(by: criterion)
            try await forEachPage { page in groups.add(page) }
            json = groups.document?.json
        case .timeline(let from, let to, let buckets):
            var timeline = JobTimeline(from: from, to: to, buckets: buckets)
            try await forEachPage { page in timeline.add(page) }
            json = timeline.document?.json
        case .graph(let form):
            var graph = JobGraph()
            try await forEachPage { page in graph.add(page) }
            guard let document = graph.document else { throw .unexpected }
            switch form {
            case .json: json = document.json
            case .dot: return HistoryDocument(.dot, Array(DotWriter(document).text.utf8), finishedAt: finishedAt)
            case .svg: return HistoryDocument(.svg, Array(SVGWriter(document).text.utf8), finishedAt: finishedAt)
            }
        }
        guard let json else { throw .unexpected }
        return HistoryDocument(.json, json.withMembers { $0.member("seq", newest) }, finishedAt: finishedAt)
    }
}

/// A document that was made of a job's history.
struct HistoryDocument: Hashable, Sendable {
    /// What the document consists of.
    let kind: Route.Answer
    /// The document.
    let bytes: [UInt8]
    /// When the job was finished; nil for a document of an unfinished job, which ages.
    let finishedAt: Timestamp?

    init(_ kind: Route.Answer, _ bytes: [UInt8], finishedAt: Timestamp?) {
        self.kind = kind
        self.bytes = bytes
        self.finishedAt = finishedAt
    }

    /// The answer with the document.
    var response: HTTPResponse {
        var response = HTTPResponse(type: kind.type, bytes)
        if kind == .svg {
            // A picture that is opened by itself runs nothing and loads nothing.
            response.headers.add("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
        }
        return response
    }
}
