@_spi(Baton) public import BatonDocuments
@_spi(Baton) public import BatonOperations

/// Puts the operations of a job into groups, from the pages of the job's history.
///
/// The memory grows with the groups, up to ``mostKnown`` of them, and not with the operations.
@_spi(Baton) public struct JobGroups {
    /// What the operations of a group have in common.
    public enum Criterion: String, CaseIterable, Sendable {
        /// The name: each array is a group, and so are operations whose names differ in numbers alone.
        case name
        /// The reason for which operations did not succeed.
        case reason
        /// The worker of the last attempt.
        case worker
        /// The queue.
        case queue
    }

    /// The most groups of the document.
    public static let mostGroups = 500
    /// The most groups in memory; operations of groups that come later are counted together.
    public static let mostKnown = 10_000

    private struct Group {
        var first: UInt32
        var name: String?
        /// The name of the only entry so far; nil for an array and for several entries.
        var onlyName: String?
        var counts = JobCounts()
        var durations = DurationSketch()
    }

    private enum Key: Hashable {
        case text(String)
        case array(UInt32)
        case none
    }

    private let criterion: Criterion
    private var job: JobNumber?
    private var groups: [Group] = []
    private var places: [Key: Int] = [:]
    /// The number of operations of groups beyond the limit.
    private var rest = 0
    /// The entry of the last operation with its group: neighbours mostly belong to one entry.
    private var lastEntry: (first: UInt32, place: Int?)?
    /// The text that decided for the last operation, with its group.
    private var lastText: (text: String?, place: Int?)?

    /// Begins the groups of a job.
    public init(by criterion: Criterion) {
        self.criterion = criterion
    }

    /// Adds a page; pages have to come in order, from the first to the last.
    public mutating func add(_ page: HistoryPage) {
        job = page.job
        var earlier = EarlierAttemptNumbers(page)
        var next = 0
        for operation in page.operations {
            let duration = Self.duration(of: operation, earlierAttempt: earlier.last(of: operation.first))
            var range = operation.range
            // Neighbours with the same history may belong to several entries.
            while !range.isEmpty, next < page.entries.count {
                let entry = page.entries[next].range
                guard entry.upperBound > range.lowerBound else {
                    next += 1
                    continue
                }
                let end = min(entry.upperBound, range.upperBound)
                add(operation, range.lowerBound..<end, duration, of: page.entries[next])
                range = end..<range.upperBound
            }
        }
    }

    /// The run time of an operation in microseconds; nil if the operation has not been finished by an attempt.
    private static func duration(of operation: OperationHistory, earlierAttempt: UInt32) -> Int64? {
        guard operation.state == .finished, operation.attempt > earlierAttempt, let start = operation.startedAt,
            let end = operation.finishedAt
        else { return nil }
        let (duration, overflow) = end.rawValue.subtractingReportingOverflow(start.rawValue)
        return overflow ? nil : duration
    }

    private mutating func add(
        _ operation: OperationHistory,
        _ range: Range<UInt32>,
        _ duration: Int64?,
        of entry: HistoryEntry
    ) {
        guard let place = place(of: operation, first: range.lowerBound, entry) else {
            rest += range.count
            return
        }
        operation.add(to: &groups[place].counts, number: range.count)
        if let duration { groups[place].durations.add(duration) }
    }

    /// The group of an operation; nil beyond the limit.
    private mutating func place(of operation: OperationHistory, first: UInt32, _ entry: HistoryEntry) -> Int? {
        let text: String?
        switch criterion {
        case .name, .queue:
            if let lastEntry, lastEntry.first == entry.first { return lastEntry.place }
            let place = criterion == .name ? placeByName(of: entry, first) : place(of: entry.queue, first)
            lastEntry = (entry.first, place)
            return place
        case .reason: text = operation.reason?.rawValue
        case .worker: text = operation.worker
        }
        if let lastText, lastText.text == text { return lastText.place }
        let place = place(of: text, first)
        lastText = (text, place)
        return place
    }

    private mutating func place(of text: String?, _ first: UInt32) -> Int? {
        place(of: text.map { .text($0) } ?? .none) { Group(first: first, name: text) }
    }

    private mutating func placeByName(of entry: HistoryEntry, _ first: UInt32) -> Int? {
        if entry.isArray { return place(of: .array(entry.first)) { Group(first: first, name: entry.name) } }
        guard let name = entry.name else { return place(of: .none) { Group(first: first) } }
        let folded = GroupName.folded(name)
        let place = place(of: .text(folded)) { Group(first: first, name: folded, onlyName: name) }
        if let place, groups[place].first != first { groups[place].onlyName = nil }
        return place
    }

    private mutating func place(of key: Key, _ new: () -> Group) -> Int? {
        if let place = places[key] { return place }
        guard groups.count < Self.mostKnown else { return nil }
        groups.append(new())
        places[key] = groups.count - 1
        return groups.count - 1
    }

    /// The groups so far: those with the most failures first, then the largest; nil before the first page.
    ///
    /// - Complexity: O(groups · log groups).
    public var document: GroupsDocument? {
        guard let job else { return nil }
        let sizes = groups.map(\.counts.total)
        let order = groups.indices.sorted { left, right in
            let failures = (groups[left].counts.failed, groups[right].counts.failed)
            if failures.0 != failures.1 { return failures.0 > failures.1 }
            if sizes[left] != sizes[right] { return sizes[left] > sizes[right] }
            return groups[left].first < groups[right].first
        }
        return GroupsDocument(
            groups: order.prefix(Self.mostGroups).map { place in
                let group = groups[place]
                return GroupsDocument.Group(
                    name: group.onlyName ?? group.name,
                    first: OperationID(job: job, index: group.first),
                    counts: group.counts,
                    seconds: group.durations.seconds
                )
            },
            more: order.dropFirst(Self.mostGroups).reduce(rest) { $0 + sizes[$1] }
        )
    }
}

extension DurationSketch {
    /// The durations in seconds; nil without any.
    fileprivate var seconds: GroupsDocument.Seconds? {
        guard let median = percentile(50), let high = percentile(95) else { return nil }
        return GroupsDocument.Seconds(
            p50: Double(median) / 1e6,
            p95: Double(high) / 1e6,
            max: Double(longest) / 1e6,
            sum: Double(sum) / 1e6
        )
    }
}
