import BatonOperations
import BatonScheduler

/// What a request is about, names resolved.
enum Target: Hashable, Sendable {
    /// All operations of a job.
    case job(JobNumber)
    /// Some consecutive operations of a job: one, or an array's.
    case operations(JobNumber, Range<UInt32>)
    /// All operations that are in a queue.
    case queue(String)

    /// What it means to the scheduler.
    var selection: OperationSelection {
        switch self {
        case .job(let job): .job(job)
        case .operations(let job, let range): .operations(job, range)
        case .queue(let name): .queue(name)
        }
    }

    /// The job that it is of; nil for a queue.
    var job: JobNumber? {
        switch self {
        case .job(let job), .operations(let job, _): job
        case .queue: nil
        }
    }

    /// The same operations, none of them twice: an operation that is named together with its job, or more than once, counts
    /// once.
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
                // Neighbours stay apart: an array by itself is looked at faster.
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

    /// One operation.
    static func operation(_ id: OperationID) -> Target {
        .operations(id.job, id.index..<id.index + 1)
    }
}
