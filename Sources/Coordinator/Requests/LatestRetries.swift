@_spi(Baton) import BatonOperations

/// When jobs were last retried, so that a retry that the record was asked about knows of those that became jobs afterwards.
///
/// Owns a fixed number of moments, each for the jobs of a slot. A job may seem retried because of another job of its slot, and never
/// the other way round: who needs certainty asks the record once more.
struct LatestRetries {
    private static let slotCount = 4096

    /// The number of retries up to now.
    private(set) var moment: UInt64 = 0
    /// The moment after the latest retry of each slot's jobs; 0 for none.
    private var latest = [UInt64](repeating: 0, count: slotCount)

    /// Notes that a retry of a job has become a job.
    mutating func noteRetry(of job: JobNumber) {
        moment += 1
        latest[Self.slot(of: job)] = moment
    }

    /// Whether a retry of a job may have become a job since a moment.
    func mayHaveRetry(of job: JobNumber, since moment: UInt64) -> Bool { latest[Self.slot(of: job)] > moment }

    private static func slot(of job: JobNumber) -> Int { Int(job.rawValue) % slotCount }
}
