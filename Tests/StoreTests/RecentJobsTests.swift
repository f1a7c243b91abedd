@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonStore

@Suite("Sets of jobs that are asked about the same job again")
struct RecentJobsTests {
    @Test("Such a set has what any set has", arguments: 1...4 as ClosedRange<UInt64>)
    func asASet(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var (recent, plain) = (RecentJobs(), Set<JobNumber>())
        for _ in 0..<2000 {
            let job = JobNumber(.random(in: 0..<5, using: &random))
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                recent.insert(job)
                plain.insert(job)
            case 1:
                recent.remove(job)
                plain.remove(job)
            default: #expect(recent.contains(job) == plain.contains(job), "seed \(seed)")
            }
        }
    }
}
