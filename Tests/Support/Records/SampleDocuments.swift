@_spi(Baton) package import BatonDocuments
@_spi(Baton) package import BatonOperations

/// Values of documents that tests and the manual's examples show.
package enum SampleDocuments {
    /// A moment some seconds after another, fixed one.
    package static func moment(_ seconds: Int64) -> Timestamp {
        Timestamp(rawValue: 1_795_230_000_000_678 + seconds * 1_000_000)
    }

    /// The counts of a job with four operations.
    package static let counts: JobCounts = {
        var counts = JobCounts()
        counts.pending = 1
        counts.executing = 1
        counts.succeeded = 2
        return counts
    }()

    /// An operation of job 12 that succeeded.
    package static func succeeded(index: UInt32 = 1, command: [String]) -> OperationDocument {
        var record = OperationRecord(id: OperationID(job: JobNumber(12), index: index), state: .finished)
        record.outcome = .succeeded
        record.exitStatus = 0
        record.attempt = 1
        record.worker = "w1"
        record.readyAt = moment(1)
        record.startedAt = moment(2)
        record.finishedAt = moment(3)
        record.hasResult = true
        return OperationDocument(
            record: record,
            entry: Entry(name: "sepia", priority: .high),
            queue: "images",
            template: Template(work: Work(.commands([command]))),
            item: nil,
            dependencies: [DependencyDocument(operation: "12/0", condition: .success)],
            submittedAt: moment(0),
            attempts: []
        )
    }

    /// The first attempt of an operation, which failed and was retried.
    package static let failedAttempt: AttemptDocument = {
        var attempt = AttemptRecord(
            attempt: 1,
            worker: "w1",
            startedAt: moment(2),
            endedAt: moment(3),
            reason: Reason(.exit, "It exited with status 3.")
        )
        attempt.exitStatus = 3
        return AttemptDocument(attempt)
    }()

    /// The second attempt of an operation whose memory is a range, which used more than it might.
    package static let outgrownAttempt: AttemptDocument = {
        var attempt = AttemptRecord(
            attempt: 2,
            worker: "w1",
            startedAt: moment(4),
            endedAt: moment(5),
            reason: Reason(.memory, "It used more memory than the 4G that it asked for.")
        )
        attempt.limits = AttemptLimits(memory: 4 << 30, timeout: .seconds(3600))
        var template = Template(work: Work(.commands([["./fit"]]), timeout: .seconds(3600), memory: 2 << 30))
        template.memoryUpTo = 16 << 30
        template.timeoutUpTo = .seconds(8 * 3600)
        return AttemptDocument(attempt, template: template)
    }()

    /// A schedule that has started a job, and skipped a time.
    package static let schedule: ScheduleDocument = {
        guard let cron = try? CronExpression("0 2 * * *") else { preconditionFailure("The times cannot be read.") }
        let settings = ScheduleSettings(name: "nightly", cron: cron, timeZone: "Europe/Berlin", overlap: .queue)
        var state = ScheduleState(decidedUntil: moment(0))
        state.last = ScheduleState.Start(time: moment(-60), job: JobNumber(12))
        state.waiting = [moment(-30)]
        state.skip = ScheduleSkip(time: moment(-90), reason: .refused, message: "There is no room.")
        let record = ScheduleRecord(
            settings: settings,
            addedAt: moment(-100),
            addedBy: "laptop",
            request: [],
            state: state
        )
        return ScheduleDocument(record, next: [moment(86_400), moment(172_800)])
    }()

    /// A queue with a limit, a class and a total.
    package static let queue = QueueSummary(
        queue: "images",
        maxConcurrent: 4,
        suspended: false,
        qos: .utility,
        count: 3,
        executing: 1,
        total: 8,
        completed: 2,
        progress: 0.25
    )
}
