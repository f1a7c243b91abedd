@_spi(Baton) import BatonAggregates
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonDrawings
@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations

/// The making of one document from the pages of a history.
struct HistoryFold {
    private enum State {
        case groups(JobGroups)
        case timeline(JobTimeline)
        case graph(JobGraph, HistoryView.GraphForm)
        /// The state is elsewhere, so that a page changes it without a copy.
        case moved
    }

    /// What is made.
    let view: HistoryView
    private var state: State

    init(_ view: HistoryView) {
        self.view = view
        state =
            switch view {
            case .groups(let criterion): .groups(JobGroups(by: criterion))
            case .timeline(let from, let to, let buckets): .timeline(JobTimeline(from: from, to: to, buckets: buckets))
            case .graph(let form): .graph(JobGraph(), form)
            // This view is made of some pages alone.
            case .dependents: .moved
            }
    }

    /// Adds a page; pages have to come in order.
    mutating func add(_ page: HistoryPage) {
        let state = state
        self.state = .moved
        switch consume state {
        case .groups(var groups):
            groups.add(page)
            self.state = .groups(groups)
        case .timeline(var timeline):
            timeline.add(page)
            self.state = .timeline(timeline)
        case .graph(var graph, let form):
            graph.add(page)
            self.state = .graph(graph, form)
        case .moved: break
        }
    }

    /// The document of the pages so far; nil before the first page.
    ///
    /// - Parameters:
    ///   - newestEvent: the number of the newest event that the document knows of.
    ///   - finishedAt: when the job was finished; nil for an unfinished job.
    func document(newestEvent: UInt64, finishedAt: Timestamp?) -> HistoryDocument? {
        let json: [UInt8]?
        switch state {
        case .groups(let groups): json = groups.document?.json
        case .timeline(let timeline): json = timeline.document?.json
        case .graph(let graph, let form):
            guard let document = graph.document else { return nil }
            switch form {
            case .json: json = document.json
            case .dot: return HistoryDocument(.dot, Array(DotWriter(document).text.utf8), finishedAt: finishedAt)
            case .svg: return HistoryDocument(.svg, Array(SVGWriter(document).text.utf8), finishedAt: finishedAt)
            }
        case .moved: json = nil
        }
        return json.map { json in
            HistoryDocument(.json, json.withMembers { $0.member("seq", newestEvent) }, finishedAt: finishedAt)
        }
    }
}
