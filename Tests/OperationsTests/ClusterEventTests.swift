@_spi(Baton) import BatonOperations
import Testing

@Suite("Numbers of events") struct ClusterEventTests {
    private func count(_ subject: ClusterEvent.Subject) -> UInt64 {
        ClusterEvent(sequence: 5, time: Timestamp(rawValue: 0), subject: subject).count
    }

    @Test(
        "OB10 An event about several operations takes a number for each of them",
        arguments: [1, 2, 1000, UInt32.max]
    )
    func eventAboutSeveralOperations(operations: UInt32) {
        let first = OperationID(job: JobNumber(12), index: 0)
        #expect(count(.operations(first, count: operations, .cancelled)) == UInt64(operations))
        #expect(
            count(
                .operations(
                    first,
                    count: operations,
                    .state(.finished, outcome: .skipped, attempt: 0, worker: nil)
                )
            ) == UInt64(operations)
        )
    }

    @Test(
        "OB10 An event about a job, a queue, a worker or the record takes one number",
        arguments: [
            ClusterEvent.Subject.jobSubmitted(JobNumber(12), operations: 1000),
            .jobFinished(JobNumber(12), JobCounts()),
            .queue("q", QueueSettings()), .queueDeleted("q"),
            .operationsAdded(JobNumber(12), first: 4, count: 3), .jobClosed(JobNumber(12)),
            .worker("w1", .alive), .clockStepped(.seconds(-5)), .workerRequest("w1", .drain),
            .recordIncomplete(jobs: 3, commits: 9), .schedule("nightly", .skipped),
            .limit(LimitChange("licence", units: 3)),
        ]
    )
    func eventAboutJobQueue(subject: ClusterEvent.Subject) {
        #expect(count(subject) == 1)
    }
}
