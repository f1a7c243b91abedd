@_spi(Baton) package import BatonDocuments
@_spi(Baton) import BatonOperations

extension SampleDocuments {
    /// What a job took: two operations, one of them in two attempts, on two workers.
    package static let summary: SummaryDocument = {
        let job = JobNumber(12)
        let fetch = OperationID(job: job, index: 0)
        let join = OperationID(job: job, index: 1)
        var counts = JobCounts()
        counts.succeeded = 2
        return SummaryDocument(
            job: job,
            name: "study",
            counts: counts,
            submittedAt: moment(0),
            finishedAt: moment(9),
            elapsedSeconds: 9,
            operations: 2,
            attempts: 3,
            busySeconds: 9.5,
            waitingSeconds: 0.25,
            longestWait: SummaryDocument.OperationTime(operation: join, name: "join", seconds: 0.25),
            measuredAttempts: 3,
            cpuSeconds: 8.75,
            peakMemory: SummaryDocument.OperationMemory(operation: join, name: "join", bytes: 214_458_368),
            workers: [
                SummaryDocument.Worker(worker: "w1", attempts: 2, busySeconds: 6),
                SummaryDocument.Worker(worker: "w2", attempts: 1, busySeconds: 3.5),
            ],
            slowest: [
                SummaryDocument.OperationTime(operation: join, name: "join", seconds: 5),
                SummaryDocument.OperationTime(operation: fetch, name: "fetch", seconds: 3.5),
            ],
            criticalPath: [
                SummaryDocument.Step(operation: fetch, name: "fetch", seconds: 3.5, waited: 0.25),
                SummaryDocument.Step(operation: join, name: "join", seconds: 5, waited: 0.25),
            ],
            criticalPathIsCut: false
        )
    }()
}
