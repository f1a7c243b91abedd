import Operations
import Scheduler

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

    /// One operation.
    static func operation(_ id: OperationID) -> Target {
        .operations(id.job, id.index..<id.index + 1)
    }
}
