@_spi(Baton) import BatonBenchmarks
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The measurement of the cancellation of a large job.
extension BenchRun {
    /// Measures what users notice while a job of many different operations is cancelled.
    func measureCancellation() async throws -> Figures {
        // The job would stay on a cluster given by the user.
        _ = try ownCluster()
        let workload = Workload(.different, operations: operations, kind: settings.kind)
        let job = try await connection.submit(workload.submission(seed: seed, isHeld: true)).number
        return try await measureUsers(
            during: { _ = try await connection.change(.cancel([.job(job)], queue: nil)) },
            .cancelSeconds
        )
    }
}
