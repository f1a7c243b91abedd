@_spi(Baton) import BatonOperations
import Testing

@Suite("Counts of a job") struct JobCountsTests {
    private func counts(_ change: (inout JobCounts) -> Void) -> JobCounts {
        var counts = JobCounts()
        change(&counts)
        return counts
    }

    @Test("The state of a job is that of its liveliest operation, and finished once all are finished")
    func stateJobLiveliestOperation() {
        #expect(JobCounts().state == .finished)
        #expect(counts { $0.succeeded = 1 }.state == .finished)
        #expect(
            counts {
                $0.pending = 1; $0.succeeded = 1
            }.state == .pending
        )
        #expect(
            counts {
                $0.pending = 1; $0.ready = 1
            }.state == .ready
        )
        #expect(
            counts {
                $0.pending = 1; $0.ready = 1; $0.executing = 1
            }.state == .executing
        )
    }

    @Test("The counts of a job are read and set by outcome, and read by state")
    func countsJobReadSet() {
        var counts = JobCounts()
        for (number, outcome) in Outcome.allCases.enumerated() { counts[outcome] = number + 1 }
        #expect(Outcome.allCases.map { counts[$0] } == [1, 2, 3, 4])
        #expect(counts[.finished] == 10)
        #expect(counts.total == 10)
        #expect(!counts.isAllSuccess)
        #expect(counts[.pending] == 0)
    }

    @Test("The sums of hostile counts saturate at the largest number")
    func sumsHostileCountsSaturate() {
        var counts = JobCounts()
        for outcome in Outcome.allCases { counts[outcome] = .max }
        counts.pending = .max
        counts.ready = .max
        #expect(counts.finished == .max)
        #expect(counts.unfinished == .max)
        #expect(counts.total == .max)
        #expect(counts.state == .ready)
        #expect(!counts.isAllSuccess)
        counts += counts
        #expect(counts.failed == .max)
    }
}
