@_spi(Baton) public import BatonOperations

/// Jobs that have some tags, newest first, up to a limit.
@_spi(Baton) public struct TaggedJobs: Sendable {
    /// The jobs.
    public var jobs: [JobSummary] = []
    /// The job before which to continue; nil after the last job.
    public var next: JobNumber?
    /// The number of questions that the search took, for a bound.
    public var steps = 0

    /// Starts without jobs.
    public init() {}
}
