/// Large jobs that the scheduler has removed, to be freed where nobody waits: the commands of a million operations take a tenth of a
/// second.
@_spi(Baton) public struct RemovedJobs: Sendable {
    /// The least number of templates and entries of a large job.
    static let leastSize = 10_000

    /// The jobs.
    private var jobs: [LiveJob] = []

    /// Whether there is none.
    var isEmpty: Bool { jobs.isEmpty }

    /// Adds a job that is about to be removed, if it is large.
    mutating func append(_ job: LiveJob) {
        if job.templates.count + job.entries.count >= Self.leastSize { jobs.append(job) }
    }
}

@_spi(Baton) extension Scheduler {
    /// Takes the large jobs that were removed since the last call; nil for none.
    public mutating func takeRemovedJobs() -> RemovedJobs? { graph.takeRemovedJobs() }
}
