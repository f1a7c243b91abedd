@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWeb

/// Answers of a coordinator with documents that have values, or have none, for everything that may be missing.
struct SampleAnswers: Sendable {
    /// Whether what may be missing is there.
    let isFull: Bool
    /// Whether the operation of the name is an array.
    var isArray = false

    private static let job = JobNumber(12)
    private static let moment = Timestamp(rawValue: 1_795_230_000_000_678)
    private static let counts = {
        var counts = JobCounts()
        (counts.executing, counts.failed) = (1, 2)
        return counts
    }()

    /// The value in a full sample; nil in a sample without optional values.
    private func maybe<Value>(_ value: Value) -> Value? { isFull ? value : nil }

    func reply(to request: Request) -> Reply? {
        switch request {
        case .document(let request): document(request).map { .document($0.json) }
        case .history(let selection):
            HistoryPage.array(4, pageLength: 4).first.map { page in
                var page = page
                let dependency = HistoryDependency(first: 3, condition: .success)
                page.entries.append(HistoryEntry(first: 4, name: maybe("merge"), dependencies: [dependency]))
                var merge = OperationHistory(first: 4, state: isFull ? .finished : .pending)
                merge.outcome = maybe(.succeeded)
                page.operations.append(merge)
                page.name = maybe("sweep")
                if selection.from == .max { page.operations = [] }
                return .history(page)
            }
        case .log: .output(OutputChunk(offset: 0, bytes: Array("out".utf8), totalLength: 3, isComplete: true))
        case .filePiece(_, _, let offset, _):
            .filePiece(FilePiece(offset: offset, size: 3, bytes: Array("abc".utf8.dropFirst(Int(offset)))))
        case .submit, .retry, .startSchedule: .job(Self.job, operations: 4, isNew: true)
        default:
            .changed(
                ChangeReport(changed: 1, notes: isFull ? ["12/3 was finished."] : [], unanswered: isFull ? ["w1"] : [])
            )
        }
    }

    private func document(_ request: DocumentRequest) -> (any Document)? {
        switch request {
        case .job: jobDocument
        case .operation: isArray ? ArrayDocument(job: Self.job, name: "tile", operations: 3..<7) : operation
        case .explain:
            ExplainDocument(
                operation: OperationID(job: Self.job, index: 3),
                state: .pending,
                waitsFor: isFull ? reasons : []
            )
        case .jobs: JobListDocument(jobs: [listed], next: maybe(JobNumber(3)), more: maybe(2))
        case .queue: QueueDocument(summary: queue, operations: [OperationID(job: Self.job, index: 3)])
        case .queues: QueueListDocument(queues: [queue])
        case .limits:
            LimitListDocument(limits: [
                LimitSummary(
                    limit: "licence",
                    units: 3,
                    taken: 1,
                    holding: 1,
                    holders: [.init(operation: OperationID(job: Self.job, index: 3), units: 1)],
                    waiting: 1,
                    waiters: [OperationID(job: Self.job, index: 4)]
                )
            ])
        case .workers: WorkersDocument(workers: [worker])
        case .worker:
            WorkerDocument(
                worker: worker,
                executing: [
                    WorkerDocument.Execution(
                        operation: OperationID(job: Self.job, index: 3),
                        attempt: 2,
                        startedAt: maybe(Self.moment)
                    )
                ],
                fetching: maybe([
                    WorkerDocument.Fetch(
                        operation: OperationID(job: Self.job, index: 4),
                        files: 3,
                        bytes: 4 << 30,
                        present: 5 << 28
                    )
                ]),
                dataAddress: maybe("tcp://10.0.0.2:7463"),
                since: maybe(Self.moment),
                succeeded: 1,
                unsuccessful: 2,
                ended: WorkerDocument.Ended.End.allCases.map { end in
                    WorkerDocument.Ended(
                        operation: OperationID(job: Self.job, index: 1),
                        end: end,
                        exitStatus: maybe(3),
                        signal: maybe(9),
                        seconds: 0.25,
                        endedAt: Self.moment
                    )
                },
                busy: isFull ? [0, 0.125, 1] : [],
                busyBucketSeconds: 10
            )
        case .status: status
        case .overview: overview
        case .criticalPath:
            CriticalPathDocument(
                operations: [
                    SummaryDocument.Step(
                        operation: OperationID(job: Self.job, index: 3),
                        name: maybe("sepia"),
                        seconds: 2,
                        waited: 0.5
                    )
                ],
                isCut: false
            )
        case .waiting:
            WaitingDocument(
                job: Self.job,
                reasons: WaitReason.Kind.allCases.map { kind in
                    .init(
                        kind,
                        "2 operations wait.",
                        count: 2,
                        operation: OperationID(job: Self.job, index: 3),
                        queue: "images"
                    )
                },
                more: 3
            )
        case .throughput:
            ThroughputDocument(
                bucketSeconds: 1,
                buckets: [
                    .init(time: Self.moment, started: 4, succeeded: 3, failed: 1, executing: 2, ready: 5)
                ]
            )
        case .schedules: schedule.map { ScheduleListDocument(schedules: [$0]) }
        case .schedule: schedule
        case .failures: failures
        case .files: files
        case .names: NamesDocument(job: Self.job, names: [], next: nil)
        default: nil
        }
    }

    private var status: StatusDocument {
        StatusDocument(
            coordinator: "tcp://127.0.0.1:7461",
            version: "0.1.0",
            epoch: 3,
            security: isFull ? .curve : .none,
            key: maybe(StatusDocument.Key(name: "laptop", role: "client")),
            uptimeSeconds: 60,
            time: maybe(Self.moment),
            workers: 2,
            awaitedWorkers: isFull ? ["w3"] : [],
            slots: 4,
            failing: isFull ? [StatusDocument.Failing(worker: "w1", reason: "No space is left.")] : [],
            queues: 1,
            counts: Self.counts
        )
    }

    private var overview: OverviewDocument {
        OverviewDocument(
            coordinator: "tcp://127.0.0.1:7461",
            version: "0.1.0",
            epoch: 3,
            uptimeSeconds: 60,
            time: Self.moment,
            recordFault: nil,
            workers: 2,
            awaitedWorkers: 0,
            slots: 4,
            counts: Self.counts,
            finished: 2,
            finishedPerSecond: 0.5,
            failedLastHour: 0,
            jobs: [],
            moreJobs: 0,
            queues: [],
            moreQueues: 0,
            troubledWorkers: [],
            moreTroubledWorkers: 0
        )
    }

    private var jobDocument: JobDocument {
        JobDocument(
            job: Self.job,
            name: maybe("thumbnails"),
            key: maybe("k"),
            by: maybe("laptop"),
            state: .executing,
            retryOf: maybe(JobNumber(11)),
            retries: isFull ? [JobRetry(job: JobNumber(13), state: .finished, outcome: .succeeded)] : [],
            settings: JobSettings(
                maxFailures: maybe(4),
                cancelRunning: isFull,
                deadline: maybe(.seconds(60)),
                tags: isFull ? ["a": "b"] : [:],
                reuse: maybe(JobNumber(10))
            ),
            counts: Self.counts,
            queues: ["images"],
            operations: [],
            submittedAt: Self.moment,
            startedAt: maybe(Self.moment),
            finishedAt: maybe(Self.moment),
            etaSeconds: maybe(3.5),
            next: nil
        )
    }

    private var listed: JobListDocument.Job {
        JobListDocument.Job(
            job: Self.job,
            name: maybe("thumbnails"),
            queue: maybe("images"),
            state: .finished,
            counts: Self.counts,
            submittedAt: Self.moment,
            by: maybe("laptop"),
            finishedAt: maybe(Self.moment),
            command: maybe(["true"]),
            retryOf: maybe(JobNumber(11)),
            retries: isFull ? [JobRetry(job: JobNumber(13), state: .finished, outcome: .succeeded)] : [],
            tags: isFull ? ["a": "b"] : [:]
        )
    }

    private var operation: OperationDocument {
        var record = OperationRecord(id: OperationID(job: Self.job, index: 3), state: isFull ? .finished : .pending)
        if isFull {
            (record.outcome, record.reason) = (.failed, Reason(.signal, "Signal 9 ended it."))
            (record.exitStatus, record.signal, record.attempt, record.worker) = (3, 9, 2, "w1")
            (record.readyAt, record.startedAt, record.finishedAt) = (Self.moment, Self.moment, Self.moment)
        }
        var earlier = AttemptRecord(
            attempt: 1,
            worker: maybe("w1"),
            startedAt: maybe(Self.moment),
            endedAt: Self.moment,
            reason: Reason(.exit, "It exited with status 3.")
        )
        earlier.exitStatus = maybe(3)
        return OperationDocument(
            record: record,
            entry: Entry(name: maybe("sepia"), priority: .high),
            queue: "images",
            template: Template(
                work: Work(.commands(isFull ? [["a"], ["b", "c"]] : [["a"]])),
                qualityOfService: maybe(.utility)
            ),
            item: maybe("x"),
            index: maybe(4),
            dependencies: [DependencyDocument(operation: "12/0", condition: .success)],
            submittedAt: Self.moment,
            attempts: [earlier],
            files: maybe(FileTotals(count: 1, bytes: 3, copies: 1))
        )
    }

    private var files: FilesDocument? {
        ContentDigest(bytes: [UInt8](repeating: 7, count: ContentDigest.length)).map { digest in
            let file = FileDocument(
                KeptFile(path: "out/a.bam", size: 3, mode: 0o644, digest: digest),
                of: OperationID(job: Self.job, index: 3),
                name: maybe("sepia"),
                attempt: 1,
                holders: isFull ? ["w1"] : []
            )
            return FilesDocument(job: Self.job, count: 1, bytes: 3, files: [file], next: maybe(1000))
        }
    }

    private var failures: FailuresDocument {
        FailuresDocument(
            job: Self.job,
            name: maybe("thumbnails"),
            counts: Self.counts,
            failures: [
                FailuresDocument.Group(
                    group: 1,
                    count: 2,
                    kind: FailureKind(reason: .exit, exitStatus: maybe(3), signal: nil, line: "no file N"),
                    message: maybe("It exited with status 3."),
                    operations: [OperationID(job: Self.job, index: 3)],
                    names: [maybe("sepia")],
                    items: [maybe("x")],
                    stderr: maybe("no file 7\n")
                )
            ],
            more: 0
        )
    }

    private var schedule: ScheduleDocument? {
        guard let cron = try? CronExpression("0 2 * * *") else { return nil }
        var state = ScheduleState(decidedUntil: Self.moment)
        state.last = maybe(ScheduleState.Start(time: Self.moment, job: Self.job))
        state.waiting = isFull ? [Self.moment] : []
        state.skip = maybe(ScheduleSkip(time: Self.moment, reason: .refused, message: "There is no room."))
        let record = ScheduleRecord(
            settings: ScheduleSettings(name: "nightly", cron: cron),
            addedAt: Self.moment,
            addedBy: maybe("laptop"),
            request: [],
            state: state
        )
        return ScheduleDocument(record, next: isFull ? [Self.moment] : [])
    }

    private var queue: QueueSummary {
        QueueSummary(
            queue: "images",
            maxConcurrent: maybe(4),
            suspended: isFull,
            qos: maybe(.utility),
            count: 3,
            executing: 1,
            total: maybe(8),
            completed: 2,
            progress: maybe(0.25)
        )
    }

    private var worker: WorkersDocument.Worker {
        WorkersDocument.Worker(
            worker: "w1",
            state: isFull ? .failing : .alive,
            reason: maybe("No space is left."),
            drainedAt: maybe(Self.moment),
            drainedBy: maybe("laptop"),
            endsAt: maybe(Self.moment),
            slots: 2,
            executing: 1,
            host: "build2",
            cpus: maybe(2),
            memory: maybe(8 << 30),
            memoryControl: maybe("cgroup"),
            labels: isFull ? ["zone": "a"] : [:],
            resources: isFull ? ["gpu": 1] : [:],
            used: maybe(WorkersDocument.Used(cpus: 1.5, memory: 2 << 30, resources: ["gpu": 1])),
            types: isFull ? ["resize"] : [],
            roundTripSeconds: maybe(0.1),
            silentSeconds: maybe(0.5),
            processID: 77,
            leftAt: maybe(Self.moment)
        )
    }

    private var reasons: [WaitReason] {
        [
            .dependency(
                on: .operation(OperationID(job: Self.job, index: 0)),
                condition: .success,
                counts: Self.counts,
                waitsFor: [.slots(total: 2)]
            ), .delay(until: Self.moment, isRetry: false, now: Self.moment),
            .limit(queue: "images", limit: 4, executing: 4), .order(queue: "images", ahead: 3),
            .failing(worker: "w1", reason: "No space is left.", others: 0),
            .draining(workers: ["w1", "w2"], drained: ["w1"]),
            .fetching(worker: "w2", count: 3, bytes: 4 << 30, present: 5 << 28), .fetches(operations: 2),
        ]
    }
}
