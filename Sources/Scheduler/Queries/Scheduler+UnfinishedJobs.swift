@_spi(Baton) public import BatonOperations

/// An unfinished job as seen from outside the scheduler.
@_spi(Baton) public struct UnfinishedJobView: Hashable, Sendable {
    /// The job's number.
    public var number: JobNumber
    /// The job's name, if any.
    public var name: String?
    /// The command of the first operation, of a Swift operation the type; nil for an operation without a single command, and for a
    /// long command.
    public var command: [String]?
    /// Whether the job takes further operations.
    public var isOpen = false
    /// The number of the job's operations in each state.
    public var counts: JobCounts
    /// The finished share of the job, from 0 to 1 (PG6).
    public var progress: Double
    /// The time of the submission.
    public var submittedAt: Timestamp
}

/// Lists of unfinished jobs for people who look at a cluster.
@_spi(Baton) extension Scheduler {
    /// The most jobs that are put in order, and the most numbers that are looked at among more jobs.
    private static let mostJobsLookedAt = 2_000
    /// The most bytes of a command in a list.
    private static let longestCommand = 2_000

    /// The number of unfinished jobs.
    public var unfinishedJobCount: Int { graph.jobCount }

    /// How operations have ended since the start of the coordinator; the states are 0.
    ///
    /// - Complexity: O(queues).
    public var ended: JobCounts { queues.ended }

    /// The newest unfinished jobs, newest first.
    ///
    /// With thousands of unfinished jobs, those are left out that are older than thousands of finished ones.
    ///
    /// - Complexity: O(1), although with a large constant.
    public func newestUnfinishedJobs(limit: Int) -> [UnfinishedJobView] {
        guard graph.jobCount > Self.mostJobsLookedAt else {
            return graph.jobsByAge.suffix(limit).reversed().map { view(of: $0) }
        }
        var found: [UnfinishedJobView] = []
        var number = recordState.nextJob.rawValue
        for _ in 0..<Self.mostJobsLookedAt where number > 1 && found.count < limit {
            number -= 1
            if let job = graph.job(JobNumber(number)) { found.append(view(of: job)) }
        }
        return found
    }

    private func view(of job: JobIndex) -> UnfinishedJobView {
        let number = graph[job].number
        return UnfinishedJobView(
            number: number,
            name: graph[job].name,
            command: firstCommand(of: job),
            isOpen: graph[job].isOpen,
            counts: graph[job].counts,
            progress: progress(of: number) ?? 0,
            submittedAt: graph[job].submittedAt
        )
    }

    private func firstCommand(of job: JobIndex) -> [String]? {
        guard let first = graph[job].entries.first, graph[job].changedCommands[first.first] == nil else { return nil }
        switch graph[job].templates[Int(first.template)].work.kind {
        case .commands(let commands):
            guard commands.count == 1, let command = commands.first,
                command.reduce(0, { $0 + $1.utf8.count }) <= Self.longestCommand
            else { return nil }
            return command
        case .typed(let type, _): return [type]
        case .noOperation: return nil
        }
    }
}
