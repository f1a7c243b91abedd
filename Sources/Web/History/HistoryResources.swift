/// What all requests about the histories of jobs share.
struct HistoryResources: Sendable {
    /// The most traces that are made at the same time.
    static let mostTraces = 4

    /// The documents that were made of late.
    let cache: HistoryCache
    /// The places for traces.
    let traces: TracePlaces
    /// The directory for temporary files of long traces.
    let temporaryDirectory: String

    /// Makes resources that nothing uses yet.
    init(
        cache: HistoryCache = HistoryCache(),
        traces: TracePlaces = TracePlaces(most: mostTraces),
        temporaryDirectory: String
    ) {
        self.cache = cache
        self.traces = traces
        self.temporaryDirectory = temporaryDirectory
    }
}
