@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// A part of the cluster that a live stream shows.
enum LiveTopic: Hashable, Sendable, CustomStringConvertible {
    /// Sums, the newest unfinished jobs, and the queues and workers that need somebody.
    case overview
    /// A job without its operations.
    case job(JobNumber)
    /// An operation.
    case operation(Address)
    /// All workers.
    case workers
    /// All queues.
    case queues

    /// The most jobs of an overview, so that four overviews a second stay below ``LiveReader/bytesOfTick`` each.
    private static let jobsOfOverview: UInt32 = 10

    /// Reads a topic, such as `job:12`.
    ///
    /// - Returns: nil for any other text.
    init?(_ text: some StringProtocol) {
        switch text {
        case "overview": self = .overview
        case "workers": self = .workers
        case "queues": self = .queues
        default:
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let address = Address(String(parts[1])) else { return nil }
            switch (parts[0], address) {
            case ("job", .job(let job)) where job.description == parts[1]: self = .job(job)
            case ("operation", .operation), ("operation", .named): self = .operation(address)
            default: return nil
            }
        }
    }

    /// The topic as it is asked for.
    var description: String {
        switch self {
        case .job(let job): "job:\(job)"
        case .operation(let address): "operation:\(address)"
        case .overview, .workers, .queues: kind
        }
    }

    /// The name of the topic's events.
    var kind: String {
        switch self {
        case .overview: "overview"
        case .job: "job"
        case .operation: "operation"
        case .workers: "workers"
        case .queues: "queues"
        }
    }

    /// The question to the coordinator.
    var request: Request {
        switch self {
        case .overview: .document(.overview(jobs: Self.jobsOfOverview))
        case .job(let job): JobHeader.request(for: job)
        case .operation(let address): .document(.operation(address))
        case .workers: .document(.workers)
        case .queues: .document(.queues)
        }
    }
}
