@_spi(Baton) public import BatonOperations

/// Questions that the coordinator asks for every report of a worker.
///
/// The functions change nothing. They are mutating because the compiler copies the whole scheduler out of the coordinator's core for
/// the call of a function that is not.
@_spi(Baton) extension Scheduler {
    /// A worker with a current session.
    public struct Reporter: Sendable {
        /// The worker's name.
        public let name: String
        /// Whether the worker has runs of completion hooks, which are no attempts of an operation.
        public let hasHooks: Bool
    }

    /// The worker with a current session; nil if the session is not current.
    public mutating func reporter(in session: SessionID) -> Reporter? {
        guard let worker = workers.index(ofSession: session) else { return nil }
        return Reporter(name: workers[worker].introduction.name, hasHooks: !workers[worker].hooks.isEmpty)
    }

    /// Whether a job has unfinished operations, or takes further ones.
    public mutating func isUnfinished(_ job: JobNumber) -> Bool { graph.job(job) != nil }
}
