@_spi(Baton) package import BatonBenchmarks

/// What a run measures: a fleet of workers, operations, and whether the coordinator is lost in the middle.
package struct CapacityPlan: Hashable, Sendable {
    /// The number of workers.
    package var workers = 10_000
    /// The number of slots of each worker.
    package var slots = 4
    /// The number of operations in all jobs.
    package var operations = 10_000_000
    /// The number of operations of a job; the last job has the rest.
    package var operationsOfJob = 100_000
    /// The dependencies between the operations of a job.
    package var shape = Workload.Shape.array
    /// The mean time of an operation, by the simulated clock; each takes between half and one and a half of it.
    package var duration = Duration.seconds(10)
    /// Whether the coordinator is killed after half of the operations, and another one takes over.
    package var hasFailover = true
    /// How long the cluster is watched with nothing to do, by the simulated clock.
    package var idleTime = Duration.seconds(30)
    /// The seed of all that is random.
    package var seed: UInt64 = 1

    /// Plans a run with 10,000 workers, 10 million operations and a failover.
    package init() {}

    /// The numbers of operations of the jobs, in the order of their submission.
    package var jobs: [Int] {
        stride(from: 0, to: operations, by: operationsOfJob).map { min(operationsOfJob, operations - $0) }
    }
}
