@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore

/// The operations of a part of a job that meet a filter's conditions: the scheduler tells of those that are unfinished at the moment of a
/// question, and the record finds the others.
///
/// The record answers later, and may have more of them as finished; for these the scheduler's state counts.
struct FilteredOperations {
    /// The most operations that are compared with the conditions for one answer, by the scheduler and by the record.
    ///
    /// The coordinator takes some milliseconds for as many, and answers nobody else meanwhile.
    private static let mostExamined = 100_000

    /// The examined operations.
    let indices: Range<UInt32>
    /// The records of the unfinished operations that meet the conditions, at most one more than the page has room for.
    let live: [UInt32: OperationRecord]
    private let filter: ListFilter
    /// The unfinished operations that meet the conditions.
    private let unfinished: [Range<UInt32>]
    /// The finished operations to compare with the conditions.
    private let finished: [Range<UInt32>]
    /// Whether the finished operations meet the condition for names.
    private let areNamesKnown: Bool

    /// The part of the job's finished operations to examine where one name is wanted, which the record knows the place of.
    private struct NamedPart {
        /// The operations with the name, from the start of the page on; not more than one answer examines.
        var examined: Range<UInt32>
        /// Where to continue; nil if no more operations have the name.
        var next: UInt32?
    }

    /// Looks at the operations of a job from an index on.
    init(
        of job: JobNumber,
        from index: UInt32,
        limit: Int,
        _ filter: ListFilter,
        _ scheduler: Scheduler,
        at time: ShownTime
    ) {
        self.filter = filter
        var own = filter
        own.since = filter.since.map { time.earliest(shownSince: $0) }
        if let examined = scheduler.examine(job, from: index, limit: Self.mostExamined, most: limit + 1, own) {
            (indices, unfinished, finished) = (examined.indices, examined.unfinished, examined.finished)
            areNamesKnown = true
        } else {
            // Of a job that the scheduler does not know, each operation is finished.
            indices = index..<index + min(UInt32(Self.mostExamined), .max - index)
            (unfinished, finished) = ([], [indices])
            areNamesKnown = false
        }
        var live: [UInt32: OperationRecord] = [:]
        for index in unfinished.joined() { live[index] = scheduler.record(of: OperationID(job: job, index: index)) }
        self.live = live
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
        let named = try namedPart(of: job.number, store)
        var wanted = try finishedOperations(of: job.number, named, store)
        for range in unfinished { wanted.insert(contentsOf: range) }
        for range in wanted.ranges {
            let missing = limit + 1 - operations.count
            guard missing > 0 else { break }
            operations += try store.operations(
                of: job.number,
                from: range.lowerBound,
                limit: min(range.count, missing)
            )
        }
        if let named { return (operations, named.next) }
        return (operations, Int(indices.upperBound) < job.operations ? indices.upperBound : nil)
    }

    /// The part of a finished job to examine if one name is wanted; nil for any other condition and any other job.
    private func namedPart(of job: JobNumber, _ store: any RecordReader) throws(StoreError) -> NamedPart? {
        guard !areNamesKnown, let name = filter.name?.name else { return nil }
        let found = try store.operations(named: name, in: job) ?? 0..<0
        let rest = max(found.lowerBound, indices.lowerBound)..<max(found.upperBound, indices.lowerBound)
        let end = rest.lowerBound + min(UInt32(rest.count), UInt32(Self.mostExamined))
        return NamedPart(examined: rest.lowerBound..<end, next: end < rest.upperBound ? end : nil)
    }

    /// The finished operations that meet the conditions; the record compares no others.
    private func finishedOperations(
        of job: JobNumber,
        _ named: NamedPart?,
        _ store: any RecordReader
    ) throws(StoreError) -> RangeSet<UInt32> {
        let finished = named.map { $0.examined.isEmpty ? [] : [$0.examined] } ?? self.finished
        guard filter.admitsFinished, let first = finished.first, let last = finished.last else { return RangeSet() }
        var found = RangeSet(finished)
        let range = first.lowerBound..<last.upperBound
        if filter.distinguishesFinished {
            found.formIntersection(RangeSet(try store.finishedOperations(of: job, in: range, meeting: filter)))
        }
        let name = areNamesKnown || named != nil ? nil : filter.name
        if name != nil || filter.queue != nil {
            found.formIntersection(
                RangeSet(try store.operations(of: job, in: range, named: name, inQueue: filter.queue))
            )
        }
        return found
    }
}

extension ListFilter {
    /// Whether some finished operations may meet the conditions for outcome, worker and time, and others not.
    fileprivate var distinguishesFinished: Bool {
        !outcomes.isEmpty && !states.contains(.finished) || worker != nil || since != nil
    }
}
