@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonCoordinator

@Suite("Counts beside failures", .timeLimit(.minutes(60)))
struct FailureCountTests {
    @Test(
        "What has failed since the counts were taken is not unfinished any more, and the total stays",
        arguments: [(0, 5), (5, 5), (6, 6), (8, 8), (11, 11), (15, 15), (99, 15)]
    )
    func noteFailed(number: Int, failed: Int) {
        var counts = JobCounts()
        (counts.pending, counts.ready, counts.executing) = (4, 4, 2)
        (counts.succeeded, counts.failed, counts.skipped) = (7, 5, 1)
        let total = counts.total
        counts.noteFailed(number)
        #expect(counts.failed == failed && counts.total == total)
        #expect(counts.succeeded == 7 && counts.skipped == 1)
        #expect(counts.executing == max(0, 2 - (failed - 5)))
        #expect(counts.ready == min(4, max(0, 6 - (failed - 5))))
    }
}
