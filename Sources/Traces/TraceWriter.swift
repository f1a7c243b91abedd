@_spi(Baton) import BatonJSON
@_spi(Baton) public import BatonOperations

/// Writes what happened in a job as a trace for Perfetto and other readers of Chrome's JSON.
///
/// The memory stays the same for any number of attempts: what does not fit goes to a temporary file. Times are in microseconds from
/// the submission of the job.
@_spi(Baton) public struct TraceWriter {
    private let mostShown: Int
    private let sorter: TimeSorter
    private var collector: TraceCollector?

    /// Prepares a trace.
    ///
    /// - Parameters:
    ///   - directory: where a temporary file may be made.
    ///   - mostShown: the most attempts in the trace, the first ones in the order of the operations.
    public init(temporaryFilesIn directory: String, mostShown: Int = .max) {
        self.init(sorter: TimeSorter(directory: directory), mostShown: mostShown)
    }

    init(sorter: TimeSorter, mostShown: Int = .max) {
        self.sorter = sorter
        self.mostShown = mostShown
    }

    /// The number of attempts of the pages so far.
    public var attempts: Int { collector?.attempts ?? 0 }

    /// Adds a page of the job's history; pages have to come in order, from the first to the last.
    ///
    /// - Throws: ``TraceError`` if the temporary file cannot be written.
    public mutating func add(_ page: HistoryPage) throws(TraceError) {
        var collector = self.collector ?? TraceCollector(page, sorter: sorter, mostShown: mostShown)
        self.collector = nil
        try collector.add(page)
        self.collector = collector
    }

    /// The document of the pages so far; nil before the first page, and afterwards.
    ///
    /// No page may follow.
    ///
    /// - Throws: ``TraceError`` if the temporary file cannot be used.
    public mutating func takeDocument() throws(TraceError) -> TraceDocument? {
        guard var collector else { return nil }
        self.collector = nil
        let items = try collector.takeItems()
        return TraceDocument(collector, items)
    }
}
