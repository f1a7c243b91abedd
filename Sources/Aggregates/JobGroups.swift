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

    private let criterion: Criterion
    private var job: JobNumber?
    private var groups: [Group] = []
    /// The groups of names, workers and so on.
    private var places = NamePlaces()
    /// The group of operations without one of these.
    private var nameless: Int?
    /// The number of operations of groups beyond the limit.
    private var rest = 0
    /// Of groups by worker, how the workers compare.
    private var pace = WorkerPace()
    /// The last entry with its group, where the entry decides: neighbours mostly belong to one entry.
    private var lastEntry: (first: UInt32, place: Int?)?

    /// Begins the groups of a job.
    public init(by criterion: Criterion) {
        self.criterion = criterion
    }

    /// Adds a page; pages have to come in order, from the first to the last.
    public mutating func add(_ page: HistoryPage) {
        job = page.job
        var earlier = EarlierAttemptNumbers(page)
        var next = 0
        // The ranges of entries alone: a copy of a whole entry for each operation would cost more than all else.
        let ranges = page.entries.map(\.range)
        for operation in page.operations {
            let duration = Self.duration(of: operation, earlierAttempt: earlier.last(of: operation.first))
            var range = operation.range
            // Neighbours with the same history may belong to several entries.
            while !range.isEmpty, next < ranges.count {
                let entry = ranges[next]
                guard entry.upperBound > range.lowerBound else {
                    next += 1
                    continue
                }
                let end = min(entry.upperBound, range.upperBound)
                let place = place(of: operation, range.lowerBound, page, next)
                if let place {
                    operation.add(to: &groups[place].counts, number: Int(end - range.lowerBound))
                    if let duration {
                        groups[place].durations.add(duration)
                        if criterion == .worker, operation.outcome == .succeeded {
                            pace.add(duration, worker: place, page.entries, at: next)
                        }
                    }
                } else {
                    rest += Int(end - range.lowerBound)
                }
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

    /// The group of an operation; nil beyond the limit.
    ///
    /// - Parameters:
    ///   - first: the index of the operation.
    ///   - position: the position of the operation's entry in the page.
    private mutating func place(
        of operation: OperationHistory,
        _ first: UInt32,
        _ page: HistoryPage,
        _ position: Int
    ) -> Int? {
        switch criterion {
        // What took a result has succeeded, and its reason says so.
        case .reason: return place(of: operation.outcome == .succeeded ? nil : operation.reason?.rawValue, first)
        case .worker: return place(of: operation.worker, first)
        case .name, .queue:
            if let lastEntry, lastEntry.first == page.entries[position].first { return lastEntry.place }
            let entry = page.entries[position]
            let place = criterion == .name ? place(ofNameOf: entry, first) : place(of: entry.queue, first)
            lastEntry = (entry.first, place)
            return place
        }
    }

    private mutating func place(ofNameOf entry: HistoryEntry, _ first: UInt32) -> Int? {
        // An array is met once.
        if entry.isArray { return Self.add(Group(first: first, name: entry.name), to: &groups) }
        let place = place(of: entry.name.map(GroupName.folded), first)
        guard let place else { return nil }
        groups[place].onlyName = groups[place].first == first ? entry.name : nil
        return place
    }

    private mutating func place(of name: String?, _ first: UInt32) -> Int? {
        guard let name else {
            if nameless == nil { nameless = Self.add(Group(first: first), to: &groups) }
            return nameless
        }
        return places.place(of: name) { Self.add(Group(first: first, name: name), to: &groups) }
    }

    /// Adds a group; nil beyond the limit.
    private static func add(_ group: Group, to groups: inout [Group]) -> Int? {
        guard groups.count < mostKnown else { return nil }
        groups.append(group)
        return groups.count - 1
    }

    /// The groups so far: those with the most failures first, then the largest; nil before the first page.
    ///
    /// - Complexity: O(groups · log groups).
    public var document: GroupsDocument? {
        guard let job else { return nil }
        let sizes = groups.map(\.counts.total)
        let paces = criterion == .worker ? pace.ratios : [:]
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
                    seconds: group.durations.seconds,
                    pace: place == nameless ? nil : paces[place]
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
