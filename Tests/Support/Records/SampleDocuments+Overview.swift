@_spi(Baton) package import BatonDocuments
@_spi(Baton) import BatonOperations

extension SampleDocuments {
    /// What a screen shows: a job, a suspended queue and a failing worker.
    package static let overview = OverviewDocument(
        coordinator: "tcp://127.0.0.1:7461",
        version: "0.1.0",
        epoch: 3,
        uptimeSeconds: 60,
        time: moment(60),
        recordFault: nil,
        workers: 2,
        awaitedWorkers: 0,
        slots: 4,
        counts: counts,
        finished: 2,
        finishedPerSecond: 0.5,
        failedLastHour: 0,
        jobs: [
            OverviewDocument.Job(
                job: JobNumber(12),
                name: "thumbnails",
                command: nil,
                counts: counts,
                progress: 0.625,
                submittedAt: moment(0),
                etaSeconds: 36
            )
        ],
        moreJobs: 0,
        queues: [
            OverviewDocument.Queue(queue: "images", suspended: true, maxConcurrent: 4, executing: 1, waiting: 1)
        ],
        moreQueues: 0,
        troubledWorkers: [
            OverviewDocument.Worker(
                worker: "w1",
                state: .failing,
                reason: "No space is left on the disk.",
                slots: 2,
                executing: 0
            )
        ],
        moreTroubledWorkers: 0,
        stopped: [
            StoppedOperation(
                operation: OperationID(job: JobNumber(12), index: 3),
                worker: "w1",
                stop: StopDocument(signal: 21, since: moment(60))
            ),
            StoppedOperation(
                operation: OperationID(job: JobNumber(12), index: 4),
                hook: true,
                worker: "w2",
                stop: StopDocument(signal: 19, since: moment(70))
            ),
        ]
    )
}
