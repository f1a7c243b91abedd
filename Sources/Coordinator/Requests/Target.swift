@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler

/// The operations that a request is about, with names resolved.
enum Target: Hashable, Sendable {
    /// All operations of a job.
    case job(JobNumber)
    /// Consecutive operations of a job: a single operation or an array.
    case operations(JobNumber, Range<UInt32>)
    /// All unfinished operations in a queue.
    case queue(String)

    /// The target as a selection of the scheduler.
    var selection: OperationSelection {
        switch self {
        case .job(let job): .job(job)
        case .operations(let job, let range): .operations(job, range)
        case .queue(let name): .queue(name)
        }
    }

    /// The target's job; nil for a queue.
    var job: JobNumber? {
        switch self {
        case .job(let job), .operations(let job, _): job
        case .queue: nil
        }
    }

    /// The same operations, without duplicates: operations of a job that is also named, and overlapping ranges, count once.
    ///
    /// Operations of a queue are not compared with the other targets.
    ///
    /// - Complexity: O(n log n)
    static func distinct(_ targets: [Target]) -> [Target] {
        guard targets.count > 1 else { return targets }
        var seen: Set<Target> = []
        var result: [Target] = []
        var jobs: Set<JobNumber> = []
        for case .job(let job) in targets { jobs.insert(job) }
        var ranges: [JobNumber: [Range<UInt32>]] = [:]
        for target in targets {
            switch target {
            case .operations(let job, let range):
                if !jobs.contains(job) { ranges[job, default: []].append(range) }
            case .job, .queue:
                if seen.insert(target).inserted { result.append(target) }
            }
        }
        for (job, ranges) in ranges.sorted(by: { $0.key < $1.key }) {
            var last: Range<UInt32>?
            for range in ranges.sorted(by: { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }) {
                // Adjacent ranges stay separate, since the lookup of a whole array is faster.
                if let open = last, range.lowerBound < open.upperBound {
                    last = open.lowerBound..<max(open.upperBound, range.upperBound)
                } else {
                    if let last { result.append(.operations(job, last)) }
                    last = range
                }
            }
            if let last { result.append(.operations(job, last)) }
        }
        return result
    }

    /// A target of a single operation.
    static func operation(_ id: OperationID) -> Target {
        .operations(id.job, id.index..<id.index + 1)
    }
}
