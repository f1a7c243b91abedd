@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestRecords

extension DocumentsPage {
    /// The documents in the order of the page.
    static let sections: [Section] = [
        Section(
            title: "submit",
            text: "`baton submit` and each new job of `baton retry`.",
            type: "SubmitDocument",
            examples: [json(SubmitDocument(job: job, operations: 4))]
        ),
        Section(
            title: "show of an operation",
            text: "`baton show OPERATION`, and each element of `operations` in `baton show JOB`.",
            type: "OperationDocument",
            examples: [json(operation)]
        ),
        Section(
            title: "A dependency",
            text: "Each element of `dependencies`.",
            type: "DependencyDocument",
            examples: [json(DependencyDocument(operation: "12/0", condition: .success))]
        ),
        Section(
            title: "An earlier attempt",
            text: """
                Each element of `attempts`: an attempt that failed and was followed by a retry, or was lost and followed by another attempt. An \
                operation lists the last 20. `baton show` of a job or an array lists none; there `attempts` is null.
                """,
            type: "AttemptDocument",
            examples: [json(SampleDocuments.failedAttempt), json(SampleDocuments.outgrownAttempt)]
        ),
        Section(
            title: "Counts",
            text: "The value of each key `counts`: numbers of operations.",
            type: "JobCounts",
            examples: [json(counts)]
        ),
        Section(
            title: "show of a job",
            text: "`baton show JOB`. The example has no operations; each has the keys of the section above.",
            type: "JobDocument",
            examples: [
                json(
                    JobDocument(
                        job: job,
                        name: "thumbnails",
                        by: "laptop",
                        state: .executing,
                        counts: counts,
                        operations: [],
                        submittedAt: moment(0)
                    )
                )
            ]
        ),
        Section(
            title: "show of an array",
            text: """
                `baton show JOB/NAME`, if the name is that of an array. After these keys come `operations`, `state` and `counts`, as in a \
                job.
                """,
            type: "ArrayDocument",
            examples: [json(ArrayDocument(job: job, name: "many", operations: 3..<1003))]
        ),
        Section(
            title: "files",
            text: "`baton files`.",
            type: "FilesDocument",
            examples: [json(files)]
        ),
        Section(
            title: "A file",
            text: "Each element of `files`.",
            type: "FileDocument",
            examples: [json(files.files[0])]
        ),
        Section(
            title: "failures",
            text: "`baton failures`; of several jobs, a document for each, one a line.",
            type: "FailuresDocument",
            examples: [json(failures)]
        ),
        Section(
            title: "A group of failures",
            text: "Each element of `failures`.",
            type: "FailuresDocument.Group",
            examples: [json(failures.failures[0])]
        ),
        Section(
            title: "summary",
            text: "`baton summary`. Only finished operations count.",
            type: "SummaryDocument",
            examples: [json(SampleDocuments.summary)]
        ),
        Section(
            title: "A step of the critical path",
            text: "Each element of `criticalPath`.",
            type: "SummaryDocument.Step",
            examples: [json(SampleDocuments.summary.criticalPath[0])]
        ),
        Section(
            title: "A worker's part of a job",
            text: "Each element of `workers` in `baton summary`.",
            type: "SummaryDocument.Worker",
            examples: [json(SampleDocuments.summary.workers[0])]
        ),
        Section(
            title: "An operation with a time",
            text: "Each element of `slowest`, and `longestWait`, in `baton summary`.",
            type: "SummaryDocument.OperationTime",
            examples: [json(SampleDocuments.summary.slowest[0])]
        ),
        Section(
            title: "An operation with an amount of memory",
            text: "`peakMemory` in `baton summary`.",
            type: "SummaryDocument.OperationMemory",
            examples: SampleDocuments.summary.peakMemory.map { [json($0)] } ?? []
        ),
        Section(
            title: "graph",
            text: """
                `baton graph --format json`. Coordinates are those of the centres of nodes that are 180 pixels wide and 42 high; each edge goes \
                to a later layer, except where groups depend on each other in a circle.
                """,
            type: "JobGraphDocument",
            examples: [json(SampleDocuments.graph)]
        ),
        Section(
            title: "A node of a graph",
            text: "Each element of `nodes`.",
            type: "JobGraphDocument.Node",
            examples: [json(SampleDocuments.graph.nodes[1])]
        ),
        Section(
            title: "An edge of a graph",
            text: "Each element of `edges`.",
            type: "JobGraphDocument.Edge",
            examples: [json(SampleDocuments.graph.edges[0])]
        ),
        Section(
            title: "list",
            text: "`baton list`.",
            type: "JobListDocument",
            examples: [json(JobListDocument(jobs: [listed]))]
        ),
        Section(
            title: "A job in a list",
            text: "Each element of `jobs`.",
            type: "JobListDocument.Job",
            examples: [json(listed)]
        ),
        Section(
            title: "wait",
            text: "`baton wait`.",
            type: "WaitDocument",
            examples: [json(waited)]
        ),
        Section(
            title: "explain",
            text: "`baton explain`.",
            type: "ExplainDocument",
            examples: [json(ExplainDocument(operation: id(1), state: .pending, waitsFor: [dependency]))]
        ),
        Section(
            title: "A reason to wait",
            text: "Each element of `waitsFor`. The key `kind` decides which of the other keys are there.",
            type: "WaitReason",
            omitsMissing: true,
            examples: reasons.map(json)
        ),
        Section(
            title: "explain of a job",
            text: "`baton explain JOB` for a job of several operations.",
            type: "WaitingDocument",
            examples: [json(WaitingDocument(job: job, reasons: [waitingReason], more: 0))]
        ),
        Section(
            title: "What operations of a job wait for",
            text: "Each element of `reasons`.",
            type: "WaitingDocument.Reason",
            omitsMissing: true,
            examples: [json(waitingReason), json(impossibleReason)]
        ),
        Section(
            title: "cancel",
            text: "`baton cancel` and `baton queue cancel`.",
            type: "CancelDocument",
            examples: [json(CancelDocument(report))]
        ),
        Section(
            title: "Changes",
            text: """
                `baton hold`, `release`, `priority`, `depend`, `undepend`, `add-command`, `pause`, `resume`, `signal`, `progress`, \
                `queue set`, `queue suspend` and `queue resume`.
                """,
            type: "ChangeDocument",
            examples: [json(ChangeDocument(report))]
        ),
        Section(
            title: "queue show",
            text: "`baton queue show`.",
            type: "QueueDocument",
            membersOf: ["QueueSummary"],
            examples: [json(QueueDocument(summary: queue, operations: [id(1), id(2)]))]
        ),
        Section(
            title: "queue list",
            text:
                "`baton queue list`. Each element of `queues` has the keys of `queue show` without `operations` and `more`.",
            type: "QueueListDocument",
            examples: [json(QueueListDocument(queues: [queue]))]
        ),
        Section(
            title: "schedule show",
            text: "`baton schedule show`.",
            type: "ScheduleDocument",
            examples: [json(SampleDocuments.schedule)]
        ),
        Section(
            title: "schedule list",
            text: "`baton schedule list`. Each element of `schedules` has the keys of `schedule show`.",
            type: "ScheduleListDocument",
            examples: [json(ScheduleListDocument(schedules: [SampleDocuments.schedule]))]
        ),
        Section(
            title: "limit list",
            text: "`baton limit list`: the limits that several queues share.",
            type: "LimitListDocument",
            examples: [json(LimitListDocument(limits: [limit]))]
        ),
        Section(
            title: "A shared limit",
            text: "Each element of `limits`.",
            type: "LimitSummary",
            examples: [json(limit)]
        ),
        Section(
            title: "A holder of units",
            text: "Each element of `holders`.",
            type: "LimitSummary.Holder",
            examples: [json(limit.holders[0])]
        ),
        Section(
            title: "workers",
            text: "`baton workers`.",
            type: "WorkersDocument",
            examples: [json(WorkersDocument(workers: [worker]))]
        ),
        Section(
            title: "A worker",
            text: """
                Each element of `workers`. The key `reason` is there while the worker is failing, `drainedAt` and `drainedBy`
                while it is drained, and `endsAt` if it has a time limit.
                """,
            type: "WorkersDocument.Worker",
            examples: [json(failingWorker), json(drainedWorker)]
        ),
        Section(
            title: "workers of some names",
            text: "`baton workers WORKER`, a document a line.",
            type: "WorkerDocument",
            examples: [json(workerDocument)]
        ),
        Section(
            title: "An operation that a worker executes",
            text: "Each element of `executing`.",
            type: "WorkerDocument.Execution",
            examples: [json(execution)]
        ),
        Section(
            title: "An operation for which a worker fetches files",
            text: "Each element of `fetching`, which is there while the worker fetches files.",
            type: "WorkerDocument.Fetch",
            examples: [json(fetch)]
        ),
        Section(
            title: "The end of an attempt",
            text: "Each element of `ended`.",
            type: "WorkerDocument.Ended",
            examples: [json(ended)]
        ),
        Section(
            title: "top",
            text: """
                `baton top --json`: a document a second, and one with `--once`. The remaining times and the number of operations a second are \
                estimates of the command.
                """,
            type: "OverviewDocument",
            examples: [json(SampleDocuments.overview)]
        ),
        Section(
            title: "A job on the screen",
            text: "Each element of `jobs` in `baton top`.",
            type: "OverviewDocument.Job",
            examples: [json(SampleDocuments.overview.jobs[0])]
        ),
        Section(
            title: "A queue on the screen",
            text: "Each element of `queues` in `baton top`.",
            type: "OverviewDocument.Queue",
            examples: [json(SampleDocuments.overview.queues[0])]
        ),
        Section(
            title: "A worker on the screen",
            text: "Each element of `troubledWorkers` in `baton top`.",
            type: "OverviewDocument.Worker",
            examples: [json(SampleDocuments.overview.troubledWorkers[0])]
        ),
        Section(
            title: "status",
            text: "`baton status`.",
            type: "StatusDocument",
            examples: [
                json(
                    StatusDocument(
                        coordinator: "tcp://127.0.0.1:7461",
                        version: "0.1.0",
                        epoch: 3,
                        security: .curve,
                        key: ownKey,
                        uptimeSeconds: 60,
                        time: moment(60),
                        workers: 2,
                        slots: 4,
                        failing: [failing],
                        queues: 1,
                        counts: counts,
                        store: "sqlite"
                    )
                )
            ]
        ),
        Section(
            title: "A key",
            text: "The value of `key` in `status`.",
            type: "StatusDocument.Key",
            examples: [json(ownKey)]
        ),
        Section(
            title: "A failing worker",
            text: "Each element of `failing`.",
            type: "StatusDocument.Failing",
            examples: [json(failing)]
        ),
        Section(
            title: "A coordinator that stands by",
            text: "Each element of `standbys`.",
            type: "StatusDocument.Standby",
            examples: [json(standby)]
        ),
        Section(
            title: "authorize, join and revoke",
            text: "`baton authorize`, `baton join`, and each key of `baton revoke`.",
            type: "KeyDocument",
            examples: [json(KeyDocument(name: "gpu1", role: "worker", coordinator: "tcp://10.0.0.1:7461"))]
        ),
        Section(
            title: "keys",
            text: "`baton keys`.",
            type: "KeysDocument",
            examples: [json(KeysDocument(keys: [key]))]
        ),
        Section(
            title: "A key",
            text: "Each element of `keys`.",
            type: "KeysDocument.Key",
            examples: [json(key)]
        ),
        Section(
            title: "doctor",
            text: "`baton doctor`.",
            type: "DoctorDocument",
            examples: [json(DoctorDocument(checks: [check]))]
        ),
        Section(
            title: "A check",
            text: "Each element of `checks`.",
            type: "DoctorDocument.Check",
            examples: [json(check)]
        ),
        Section(
            title: "health",
            text: "`baton health`.",
            type: "HealthDocument",
            examples: [json(HealthDocument(processes: [process], wantsReady: false))]
        ),
        Section(
            title: "A process",
            text: "Each element of `processes`.",
            type: "HealthDocument.Process",
            examples: [json(process), json(leader)]
        ),
        Section(
            title: "start",
            text: "`baton start --background`.",
            type: "StartDocument",
            examples: [
                json(
                    StartDocument(
                        started: true,
                        coordinator: "tcp://127.0.0.1:7461",
                        processID: 4711,
                        log: "/home/me/.local/state/baton/start.log"
                    )
                )
            ]
        ),
        Section(
            title: "backup",
            text: "`baton backup`.",
            type: "BackupDocument",
            examples: [json(backup)]
        ),
        Section(
            title: "restore",
            text: "`baton restore`.",
            type: "RestoreDocument",
            examples: [json(restore)]
        ),
        Section(
            title: "shutdown",
            text: "`baton shutdown`, once all have ended.",
            type: "ShutdownDocument",
            examples: [json(ShutdownDocument(ended: [endedProcess]))]
        ),
        Section(
            title: "A process that has ended",
            text: "Each element of `ended`.",
            type: "ShutdownDocument.Process",
            examples: [json(endedProcess)]
        ),
        Section(
            title: "supply slurm",
            text: "`baton supply slurm --json`: a line for each event.",
            type: "SupplyDocument",
            examples: [
                json(
                    SupplyDocument(event: "submitted", job: "4711", message: "Job 4711 was submitted as worker 1.")
                )
            ]
        ),
        Section(
            title: "service",
            text: "`baton service`.",
            type: "ServiceDocument",
            examples: [
                json(
                    ServiceDocument(
                        unit: "baton-worker.service",
                        directory: "/etc/systemd/system",
                        text: "[Unit]\nDescription=Baton worker\n"
                    )
                )
            ]
        ),
        Section(
            title: "manual",
            text: "`baton manual`.",
            type: "ManualDocument",
            examples: [json(ManualDocument(pages: [manualPage]))]
        ),
        Section(
            title: "A manual page",
            text: "Each element of `pages`.",
            type: "ManualDocument.Page",
            examples: [json(manualPage)]
        ),
        Section(
            title: "watch",
            text: """
                Each line of `baton watch`. The key `event` is the kind of the subject, and each event has the keys of its kind alone. Numbers \
                grow by one from line to line, unless events are `missed`. The settings of a queue are null if they are unset. A change that \
                somebody asks for (a submission, a cancellation, a hold, a release, a pause, a signal, another priority, other dependencies, \
                another command, a changed queue, schedule or limit) has the key `by`, which is null if nobody is known; other events have no `by`.
                """,
            type: "EventDocument",
            omitsMissing: true,
            examples: events.map(json)
        ),
        Section(
            title: "otlp",
            text: "Each line of `baton otlp`, whenever the receiver has taken or refused spans.",
            type: "ExportDocument",
            examples: [json(ExportDocument(seq: 812, spans: 37, rejected: 0))]
        ),
        Section(
            title: "Errors",
            text: "On standard error, whenever a command with `--json` fails.",
            type: "ErrorDocument",
            examples: [json(cycle)]
        ),
        Section(
            title: "An error",
            text:
                "The value of `error`. The section below lists the codes of refusals; other failures have codes of their own, such as `usage`.",
            type: "ErrorDocument.Failure",
            omitsMissing: true,
            examples: [json(cycle.error), json(missing)]
        ),
    ]
}
