@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore

/// The operations of a part of a job that meet a filter's conditions: the scheduler tells of those that are unfinished at the moment of a
/// question, and the record finds the others.
///
/// The record answers later, and may have more of them as finished; for these the scheduler's state counts.
struct FilteredOperations {
    /// The most operations whose records are compared with the conditions for one answer.
    private static let mostRecords = 100_000
    /// The most operations that the scheduler looks at if many of them are unfinished.
    private static let mostUnfinished = 20_000

    /// The examined operations.
    let indices: Range<UInt32>
    /// The records of the unfinished operations that meet the conditions for their state.
    private(set) var live: [UInt32: OperationRecord] = [:]
    private let filter: ListFilter
    /// The unfinished operations that meet the conditions for name and queue, and those in ``live``.
    private var unfinished: [Range<UInt32>] = []
    private var admitted: [Range<UInt32>] = []

    /// Looks at the unfinished operations of a job from an index on.
    init(of job: JobNumber, from index: UInt32, _ filter: ListFilter, _ scheduler: Scheduler) {
        let isMostlyFinished = scheduler.counts(of: job).map { $0.unfinished <= Self.mostUnfinished } ?? true
        let limit = isMostlyFinished ? Self.mostRecords : Self.mostUnfinished
        indices = index..<(index.addingReportingOverflow(UInt32(limit)).overflow ? .max : index + UInt32(limit))
        self.filter = filter
        for history in scheduler.histories(of: job, from: index, limit: limit, meeting: filter) {
            let range = history.first..<history.first + history.count
            unfinished.append(range)
            guard filter.admits(history) else { continue }
            admitted.append(range)
            live.merge(scheduler.records(of: job, from: range.lowerBound, limit: range.count)) { $1 }
        }
    }

    /// Reads the operations, up to one more than a limit.
    ///
    /// - Returns: the operations in order, and the index at which to continue; nil at the end of the job.
    func read(
        of job: JobSummary,
        limit: Int,
        from store: any RecordReader
    ) throws(StoreError) -> ([StoredOperation], next: UInt32?) {
        var operations: [StoredOperation] = []
        for range in try ranges(of: job.number, store) {
            let missing = limit + 1 - operations.count
            guard missing > 0 else { break }
            operations += try store.operations(
                of: job.number,
                from: range.lowerBound,
                limit: min(range.count, missing)
            )
        }
        return (operations, Int(indices.upperBound) < job.operations ? indices.upperBound : nil)
    }

    private func ranges(of job: JobNumber, _ store: any RecordReader) throws(StoreError) -> [Range<UInt32>] {
        var wanted = RangeSet<UInt32>()
        if filter.admitsFinished {
            for range in try store.finishedOperations(of: job, in: indices, meeting: filter) {
                wanted.insert(contentsOf: range)
            }
            for range in unfinished { wanted.remove(contentsOf: range) }
        }
        for range in admitted { wanted.insert(contentsOf: range) }
        guard filter.name != nil || filter.queue != nil else { return Array(wanted.ranges) }
        let entries = try store.operations(of: job, in: indices, named: filter.name, inQueue: filter.queue)
        var named = RangeSet<UInt32>()
        for range in entries { named.insert(contentsOf: range) }
        return Array(wanted.intersection(named).ranges)
    }
}

extension ListFilter {
    /// Whether finished operations may meet the conditions.
    fileprivate var admitsFinished: Bool { states.isEmpty || states.contains(.finished) || !outcomes.isEmpty }

    /// Whether unfinished operations meet the conditions for state, worker and time.
    fileprivate func admits(_ history: OperationHistory) -> Bool {
        var filter = self
        (filter.name, filter.queue) = (nil, nil)
        return filter.isEmpty
            || filter.admits(
                history.state,
                history.outcome,
                name: nil,
                queue: nil,
                worker: history.worker,
                moments: [history.startedAt, history.finishedAt]
            )
    }
}
