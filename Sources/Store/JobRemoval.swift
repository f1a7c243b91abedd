@_spi(Baton) public import BatonOperations

/// Why finished jobs cannot be removed at somebody's request; see ``Store/remove(_:except:)``.
@_spi(Baton) public enum JobRemoval: Hashable, Sendable {
    /// The jobs were removed.
    case removed
    /// There is no such job.
    case missing(JobNumber)
    /// The job has unfinished operations.
    case unfinished(JobNumber)
    /// An unfinished job depends on the job, or somebody waits for it.
    case needed(JobNumber)
    /// A completion hook of the job has yet to run.
    case hasHooks(JobNumber)
}
