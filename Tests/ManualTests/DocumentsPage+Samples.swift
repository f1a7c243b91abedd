@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestRecords

/// The values in the examples of the page.
extension DocumentsPage {
    static let job = JobNumber(12)
    static let report = ChangeReport(changed: 2, notes: ["12/3 is finished."], unanswered: ["w1"])
    static let failing = StatusDocument.Failing(worker: "w1", reason: "No space is left on the disk.")
    static let cycle = ErrorDocument(
        Refusal(.cycle, "The dependencies form a cycle: a -> b -> a.", path: ["a", "b", "a"])
    )

    static let missing = ErrorDocument.Failure(
        code: "notFound",
        message: "There is no operation 12/7.",
        advice: "See \"baton list\" and \"baton show 12\"."
    )

    static func id(_ index: UInt32) -> OperationID { OperationID(job: job, index: index) }

    static let counts = SampleDocuments.counts
    static let operation = SampleDocuments.succeeded(
        command: ["convert", "a.png", "-sepia-tone", "80%", "b.png"]
    )
    static let queue = SampleDocuments.queue

    static let limit = LimitSummary(
        limit: "licence",
        units: 3,
        taken: 3,
        holding: 2,
        holders: [.init(operation: id(1), units: 1), .init(operation: id(2), units: 2)],
        waiting: 1,
        waiters: [id(7)]
    )

    static func moment(_ seconds: Int64) -> Timestamp { SampleDocuments.moment(seconds) }

    static let failures: FailuresDocument = {
        var ended = JobCounts()
        ended.succeeded = 99_980
        ended.failed = 20
        let group = FailuresDocument.Group(
            group: 1,
            count: 20,
            kind: FailureKind(reason: .exit, exitStatus: 3, signal: nil, line: "row # is bad"),
            message: "It exited with status 3.",
            operations: [id(5), id(17)],
            names: ["sweep", "sweep"],
            items: ["lr=0.1", "lr=0.3"],
            stderr: "reading\nrow 5 is bad\n"
        )
        return FailuresDocument(job: job, name: "sweep", counts: ended, failures: [group], more: 0)
    }()

    static let files: FilesDocument = {
        let digest = ContentDigest(hexadecimal: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")
        let file = digest.map { KeptFile(path: "out.bam", size: 20_480, mode: 0o644, digest: $0) }
        let documents = [file].compactMap { $0 }.map {
            FileDocument($0, of: id(1), name: "align", attempt: 1, holders: ["w1", "w2"])
        }
        return FilesDocument(job: job, count: documents.count, bytes: 20_480, files: documents, next: nil)
    }()

    static let listed = JobListDocument.Job(
        job: job,
        name: "thumbnails",
        queue: "images",
        state: .executing,
        counts: counts,
        submittedAt: moment(0),
        by: "laptop"
    )

    static let key = KeysDocument.Key(
        name: "gpu1",
        role: "worker",
        publicKey: "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID",
        authorizedAt: moment(0),
        revokedAt: nil
    )

    static let execution = WorkerDocument.Execution(
        operation: OperationID(job: job, index: 3),
        attempt: 1,
        startedAt: moment(2)
    )

    static let fetch = WorkerDocument.Fetch(operation: id(4), files: 3, bytes: 4 << 30, present: 5 << 28)

    static let ended = WorkerDocument.Ended(
        operation: OperationID(job: job, index: 2),
        end: .exit,
        exitStatus: 0,
        signal: nil,
        seconds: 1.5,
        endedAt: moment(2)
    )

    static let workerDocument = WorkerDocument(
        worker: worker,
        executing: [execution],
        fetching: [fetch],
        dataAddress: "tcp://10.0.0.2:7463",
        since: moment(0),
        succeeded: 1,
        unsuccessful: 0,
        ended: [ended],
        busy: [0.5, 0.125],
        busyBucketSeconds: 10
    )

    static let manualPage = ManualDocument.Page(
        name: "baton-submit",
        file: "/usr/share/man/man1/baton-submit.1",
        text: nil
    )

    static let backup = BackupDocument(
        record: "/var/lib/baton/baton.db",
        file: "/backups/monday.db",
        jobs: 1204,
        newestJob: 3380,
        bytes: 48_562_176
    )

    static let restore = RestoreDocument(
        record: "/var/lib/baton/baton.db",
        file: "/backups/monday.db",
        jobs: 1204,
        newestJob: 3380,
        newestJobBefore: 3391,
        setAside: "/var/lib/baton/baton.db.before-restore",
        nextJob: 3392
    )

    static let endedProcess = ShutdownDocument.Process(role: .worker, name: "w1", processID: 4712)

    static let process = HealthDocument.Process(
        role: .worker,
        name: "w1",
        answers: true,
        ready: true,
        coordinator: "tcp://10.0.0.1:7461",
        executing: 2,
        message: "The worker w1 answers, and is connected to the coordinator at tcp://10.0.0.1:7461."
    )

    static let leader = HealthDocument.Process(
        role: .coordinator,
        name: nil,
        answers: true,
        ready: true,
        coordinator: "tcp://10.0.0.1:7461",
        executing: 2,
        duty: .leads,
        keyTable: "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU",
        message: "The coordinator at tcp://10.0.0.1:7461 answers."
    )

    static let check = DoctorDocument.Check(
        check: "tcp",
        status: .failed,
        message: "10.0.0.1:7461 refuses: no process listens there.",
        advice: "Start one with \"baton coordinator\", or name another with --coordinator or BATON_COORDINATOR."
    )

    static let standby = StatusDocument.Standby(
        address: "tcp://10.0.0.2:7461",
        host: "db2",
        since: moment(0),
        sharesKeys: true
    )

    static let ownKey = StatusDocument.Key(name: "laptop", role: "client")

    static let worker = WorkersDocument.Worker(
        worker: "w2",
        state: .alive,
        slots: 2,
        executing: 1,
        host: "build2",
        cpus: 2,
        memory: 8 << 30,
        memoryControl: "cgroup",
        labels: ["zone": "a"],
        resources: ["gpu": 1],
        used: WorkersDocument.Used(cpus: 1.5, memory: 2 << 30, resources: ["gpu": 1]),
        types: ["resize"],
        roundTripSeconds: 0.1,
        processID: 77
    )

    static let failingWorker: WorkersDocument.Worker = {
        var failing = worker
        failing.state = .failing
        failing.reason = failing.reason ?? Self.failing.reason
        return failing
    }()

    static let drainedWorker: WorkersDocument.Worker = {
        var drained = worker
        (drained.state, drained.draining, drained.drainedAt) = (.draining, true, moment(0))
        (drained.drainedBy, drained.endsAt) = ("laptop", moment(3600))
        return drained
    }()

    static let dependency = WaitReason.dependency(
        on: .operation(id(0)),
        condition: .success,
        counts: counts,
        waitsFor: []
    )

    /// What no worker has for an operation of the sample job.
    static let impossibleReason = {
        var reason = WaitReason(
            .resources,
            "No worker that is connected can ever run it: w1 (gpu: needs 2, 1 of 1 free)."
        )
        reason.possible = false
        return WaitingDocument.Reason(WaitingSubject(count: 1, operation: id(5), queue: "default"), reason)
    }()

    /// What operations of the sample job wait for together.
    static let waitingReason = WaitingDocument.Reason.dependencies(
        WaitingSubject(count: 46, operation: id(7), queue: "default"),
        first: .operation(id(1)),
        isOnly: false
    )

    /// A sample reason for each kind with special keys.
    static let reasons: [WaitReason] = {
        var several = WaitReason(.barrier, "The barrier waits for 30 operations.")
        several.operation = "12/7"
        several.operations = ["12/1", "12/2"]
        several.more = 28
        return [
            dependency, .delay(until: moment(60), isRetry: false, now: moment(0)),
            .limit(queue: "images", limit: 4, executing: 4), .slots(total: 2),
            .sharedLimit(
                "licence",
                needed: 1,
                units: 3,
                taken: 3,
                holders: [id(1), id(2)],
                holderCount: 2,
                first: nil
            ),
            .order(queue: "images", ahead: 3),
            .failing(worker: "w1", reason: failing.reason, others: 0), several,
            .draining(workers: ["w1", "w2"], drained: ["w1"]),
        ]
    }()

    /// Events of each kind.
    static let events: [EventDocument] = {
        let changes: [(inout EventDocument) -> Void] = [
            { ($0.job, $0.state, $0.operations, $0.by) = (job, "submitted", 4, "laptop") },
            { ($0.operation, $0.state, $0.attempt, $0.worker) = (id(1), "executing", 1, "w1") },
            { ($0.operation, $0.progress, $0.message) = (id(1), 0.25, "a quarter") },
            { ($0.operation, $0.cancelled, $0.by) = (id(1), true, "laptop") },
            { ($0.operation, $0.held, $0.by) = (id(2), true, .some(nil)) },
            { ($0.operation, $0.priority, $0.by) = (id(2), .high, .some(nil)) },
            { ($0.operation, $0.dependencies, $0.by) = (id(2), true, .some(nil)) },
            { ($0.operation, $0.commands, $0.by) = (id(2), true, .some(nil)) },
            { event in
                (event.operation, event.state, event.outcome) = (id(1), "finished", .cancelled)
                (event.attempt, event.worker) = (1, "w1")
            },
            { ($0.job, $0.state, $0.outcome, $0.counts) = (job, "finished", finished.outcome, finished) },
            { event in
                (event.queue, event.maxConcurrent, event.suspended) = ("images", 4, false)
                (event.qos, event.total, event.by) = (.some(nil), 8, .some(nil))
            },
            { ($0.worker, $0.state) = ("w1", "suspect") },
            { ($0.worker, $0.request, $0.by) = ("w1", "drain", "laptop") },
            { ($0.operation, $0.paused, $0.by) = (id(3), true, "laptop") },
            { ($0.operation, $0.signal, $0.by) = (id(3), "USR1", "laptop") },
            { ($0.schedule, $0.state) = ("nightly", "skipped") },
            { ($0.limit, $0.units, $0.by) = ("licence", 3, "laptop") },
        ]
        var events: [EventDocument] = []
        for (offset, change) in changes.enumerated() {
            // An event of missed numbers has no subject of its own.
            var event = EventDocument(missed: 0, last: 812 + UInt64(offset))
            event.count = nil
            event.time = moment(Int64(offset))
            change(&event)
            event.event =
                event.operation != nil
                ? "operation"
                : event.job != nil
                    ? "job"
                    : event.queue != nil
                        ? "queue" : event.schedule != nil ? "schedule" : event.limit != nil ? "limit" : "worker"
            events.append(event)
        }
        return events + [EventDocument(missed: 40, last: 900)]
    }()

    static let waited: WaitDocument = {
        let summary = SampleDocuments.summary
        var document = WaitDocument(finished: true, counts: summary.counts)
        document.elapsedSeconds = summary.elapsedSeconds
        document.busySeconds = summary.busySeconds
        document.slowest = summary.slowest
        return document
    }()

    static let finished: JobCounts = {
        var counts = JobCounts()
        counts.succeeded = 3
        counts.cancelled = 1
        return counts
    }()

    /// The text of a document, in lines of a readable length.
    static func json(_ document: some Document) -> String {
        var text = ""
        var column = 0
        var isInString = false
        var isEscaped = false
        for character in String(decoding: document.json, as: UTF8.self) {
            text.append(character)
            column += 1
            if character == "\"", !isEscaped { isInString.toggle() }
            isEscaped = character == "\\" && !isEscaped
            if character == ",", !isInString, column > 100 {
                text.append("\n ")
                column = 1
            }
        }
        return text
    }
}
