@_spi(Baton) import BatonDocuments
import Foundation
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestRecords
@_spi(Baton) import BatonTestValues
import Testing

@Suite("JSON documents")
struct DocumentTests {
    @Test("The document of an operation has all its keys")
    func operation() throws {
        try expect(succeeded(), writes: succeededText)
    }

    @Test("The document of a failed operation has its reason as a word and as a sentence, and all its commands")
    func failedOperation() throws {
        var record = OperationRecord(id: OperationID(job: JobNumber(3), index: 7), state: .finished)
        record.outcome = .failed
        record.isCancelled = true
        record.reason = Reason(.signal, "Signal 9 ended it.")
        record.signal = 9
        record.attempt = 2
        record.losses = 1
        try expect(
            OperationDocument(
                record: record,
                entry: Entry(priority: .veryLow),
                queue: "default",
                template: Template(work: Work(.commands([["a"], ["b", "c"]])), qualityOfService: .userInitiated),
                item: "x",
                dependencies: [],
                submittedAt: moment(0)
            ),
            writes: #"{"operation":"3/7","name":null,"queue":"default","state":"finished","outcome":"failed","#
                + #""cancelled":true,"reason":"signal","exitStatus":null,"signal":9,"priority":-8,"qos":"userInitiated","#
                + #""attempt":2,"worker":null,"dependencies":[],"progress":0.0,"#
                + #""submittedAt":"2026-11-21T03:00:00.000678Z","readyAt":null,"startedAt":null,"finishedAt":null,"#
                + #""message":"Signal 9 ended it.","skippedBecauseOf":null,"item":"x","losses":1,"hasResult":false,"command":null,"#
                + #""commands":[["a"],["b","c"]],"type":null,"argument":null,"progressMessage":null,"held":false,"barrier":false,"onFinish":null,"hook":null,"restart":"onLoss","#
                + #""index":null,"settings":{"priority":-8,"qos":"userInitiated","nice":0,"barrier":false,"hold":false,"maxConcurrent":null,"retries":0,"retryDelay":"1s","retryDelayLimit":null,"retryOn":[],"noRetryOn":[],"finalStatus":[],"restart":"onLoss","timeout":null,"timeoutUpTo":null,"expected":null,"grace":"5s","stopSignal":"TERM","delay":null,"deadline":null,"onFinish":null,"keepResult":"onSuccess","inputNames":"number","outputs":[],"copies":1,"inputs":{},"workspace":"shared","cpus":0.0,"memory":null,"memoryUpTo":null,"resources":{},"take":{},"labels":[],"env":[],"cwd":null,"umask":null,"stdin":false,"stdout":null,"stderr":null,"input":false,"columns":[]},"attempts":null,"cpuSeconds":null,"peakMemory":null}"#
        )
    }

    @Test("The document of an operation lists its earlier attempts with their workers, times and ends")
    func attempts() throws {
        let failed =
            #"{"attempt":1,"worker":"w1","reason":"exit","exitStatus":3,"signal":null,"stopped":false,"#
            + #""startedAt":"2026-11-21T03:00:02.000678Z","endedAt":"2026-11-21T03:00:03.000678Z","#
            + #""message":"It exited with status 3.","cpuSeconds":null,"peakMemory":null}"#
        try expect(SampleDocuments.failedAttempt, writes: failed)
        var lost = AttemptRecord(
            attempt: 2,
            worker: nil,
            startedAt: nil,
            endedAt: moment(4),
            reason: Reason(.lost, "Its worker w1 was lost.")
        )
        lost.wasStopped = true
        var operation = succeeded()
        operation.attempts = [SampleDocuments.failedAttempt, AttemptDocument(lost)]
        try expect(
            operation,
            writes: succeededText.replacing(
                #""attempts":[]"#,
                with: #""attempts":["# + failed + #",{"attempt":2,"worker":null,"reason":"lost","exitStatus":null,"#
                    + #""signal":null,"stopped":true,"startedAt":null,"endedAt":"2026-11-21T03:00:04.000678Z","#
                    + #""message":"Its worker w1 was lost.","cpuSeconds":null,"peakMemory":null}]"#
            )
        )
        // The document of a coordinator that does not know the key.
        let older = Data(succeededText.replacing(#","attempts":[]"#, with: "").utf8)
        #expect(try JSONDecoder().decode(OperationDocument.self, from: older).attempts == nil)
    }

    @Test("The document of an element has its commands as they run, and lists of operations do not")
    func filledCommands() throws {
        func document(_ commands: [[String]], item: String?, attempts: [AttemptRecord]? = []) -> OperationDocument {
            var work = Work(.commands(commands))
            work.columns = ["lr", "size"]
            return OperationDocument(
                record: OperationRecord(id: OperationID(job: JobNumber(3), index: 7)),
                entry: Entry(),
                queue: "default",
                template: Template(work: work),
                item: item,
                dependencies: [],
                submittedAt: moment(0),
                attempts: attempts
            )
        }
        let commands = [["train", "{lr}", "--size={2}"], ["echo", "{}"]]
        let filled = document(commands, item: "0.1,64")
        #expect(filled.filledCommands == [["train", "0.1", "--size=64"], ["echo", "0.1,64"]])
        #expect(filled.commands == commands)
        let text = String(decoding: filled.json(for: .everything), as: UTF8.self)
        #expect(text.hasSuffix(#""filledCommands":[["train","0.1","--size=64"],["echo","0.1,64"]]}"#), "\(text)")
        #expect(filled.withoutContent.filledCommands == nil)
        #expect(document(commands, item: "0.1,64", attempts: nil).filledCommands == nil)
        #expect(document([["true"]], item: "0.1,64").filledCommands == nil)
        #expect(document(commands, item: nil).filledCommands == nil)
    }

    @Test("The document of an operation that does nothing has no command")
    func noOperation() throws {
        let document = OperationDocument(
            record: OperationRecord(id: OperationID(job: JobNumber(1), index: 0)),
            entry: Entry(),
            queue: "default",
            template: Template(work: Work(.noOperation)),
            item: nil,
            dependencies: [],
            submittedAt: moment(0)
        )
        #expect(document.command == nil && document.commands == nil)
        #expect(text(document).contains(#""command":null,"commands":null,"#))
    }

    @Test("The document of a Swift operation has its type, and its argument if that is text")
    func typedOperation() throws {
        func document(_ argument: [UInt8]) -> OperationDocument {
            OperationDocument(
                record: OperationRecord(id: OperationID(job: JobNumber(1), index: 0)),
                entry: Entry(),
                queue: "default",
                template: Template(work: Work(.typed(type: "resize", argument: argument))),
                item: nil,
                dependencies: [],
                submittedAt: moment(0)
            )
        }
        let readable = document(Array(#"{"width":3}"#.utf8))
        #expect(text(readable).contains(#""command":null,"commands":null,"type":"resize","argument":"{\"width\":3}","#))
        #expect(text(document([0xFF])).contains(#""type":"resize","argument":null,"#))
    }

    @Test("PG4 The document of an operation shows its reported progress while it executes, and 1 after success")
    func reportedProgress() throws {
        var record = OperationRecord(id: OperationID(job: JobNumber(1), index: 0), state: .executing)
        func document() -> OperationDocument {
            OperationDocument(
                record: record,
                entry: Entry(),
                queue: "default",
                template: Template(work: Work(.noOperation)),
                item: nil,
                dependencies: [],
                submittedAt: moment(0),
                progress: OperationProgress(fraction: 0.25, message: "a quarter")
            )
        }
        #expect(document().progress == 0.25 && document().progressMessage == "a quarter")
        record.state = .finished
        record.outcome = .succeeded
        #expect(document().progress == 1 && document().progressMessage == nil)
        record.outcome = .failed
        #expect(document().progress == 0 && document().progressMessage == nil)
    }

    @Test("The document of a held barrier shows the hold, the changed priority, the hook and the restart policy")
    func heldBarrier() throws {
        var record = OperationRecord(id: OperationID(job: JobNumber(1), index: 0))
        record.isHeld = true
        record.priorityChange = OperationRecord.PriorityChange(priority: .high, order: 7)
        let document = OperationDocument(
            record: record,
            entry: Entry(priority: .low, isBarrier: true),
            queue: "default",
            template: Template(work: Work(.noOperation), restart: .never, onFinish: ["mail", "me"]),
            item: nil,
            dependencies: [],
            submittedAt: moment(0)
        )
        #expect(document.priority == .high)
        #expect(
            text(document).contains(
                #""progressMessage":null,"held":true,"barrier":true,"onFinish":["mail","me"],"hook":null,"restart":"never","index":null,"#
            )
        )
        // The settings are those of the submission.
        #expect(document.settings["priority"] == .number(-4) && document.settings["hold"] == .flag(false))
    }

    @Test("RT4 The document says what each attempt might use, and what the next one may, where that is a range")
    func limits() throws {
        var template = Template(work: Work(.noOperation, timeout: .seconds(3600), memory: 2 << 30), retries: 3)
        var record = OperationRecord(id: OperationID(job: JobNumber(12), index: 0))
        record.attempt = 2
        func attempt(_ number: UInt32, _ reason: Reason.Code, _ limits: AttemptLimits) -> AttemptRecord {
            var attempt = AttemptRecord(
                attempt: number,
                worker: "w1",
                startedAt: moment(1),
                endedAt: moment(2),
                reason: Reason(reason, "It ended.")
            )
            attempt.limits = limits
            return attempt
        }
        let attempts = [
            attempt(1, .memory, AttemptLimits()), attempt(2, .timeout, AttemptLimits(memory: 4 << 30)),
        ]
        func document(_ attempts: [AttemptRecord]?) -> OperationDocument {
            OperationDocument(
                record: record,
                entry: Entry(),
                queue: "default",
                template: template,
                item: nil,
                dependencies: [],
                submittedAt: moment(0),
                attempts: attempts
            )
        }
        #expect(document(attempts).memory == nil && document(attempts).timeout == nil)
        #expect(!text(document(attempts)).contains(#""timeout":"1h"}"#))
        template.memoryUpTo = 16 << 30
        template.timeoutUpTo = .seconds(5400)
        #expect(document(nil).memory == nil)
        #expect(document([]).memory == 2 << 30 && document([]).timeout == "1h")
        let between = document(attempts)
        #expect(between.attempts?.map(\.memory) == [2 << 30, 4 << 30])
        #expect(between.attempts?.map(\.timeout) == ["1h", "1h"])
        #expect(between.memory == 4 << 30 && between.timeout == "1h30m")
        #expect(text(between).hasSuffix(#""memory":4294967296,"timeout":"1h30m"}"#))
        // It was cancelled between its attempts.
        record.state = .finished
        record.outcome = .cancelled
        #expect(document(attempts).memory == 4 << 30 && document(attempts).timeout == "1h")
        record.attempt = 3
        #expect(document(attempts).timeout == "1h30m")
        try expect(between, writes: text(between))
    }

    @Test("Each option is shown, and read again", arguments: OperationOption.all.map(\.key))
    func settings(key: String) throws {
        let option = try #require(OperationOption.all.first { $0.key == key })
        for sample in option.samples {
            var (template, entry) = (Template(work: Work(.noOperation)), Entry())
            let plain = SettingsDocument(template: template, entry: entry)
            option.set(sample, in: &template, &entry)
            let document = SettingsDocument(template: template, entry: entry)
            try expect(document, writes: text(document))
            #expect(document[key] != plain[key])
            #expect(text(document).contains("\"\(key)\":"))
            // Values of variables, and the place of a file for standard input, are nobody's business.
            let (isPath, isEnvironment) = (key == "stdin", key == "env")
            #expect(!isPath || document[key] == .flag(true))
            #expect(!isEnvironment || !text(document).contains("x=") && text(document).contains(#""A""#))
        }
    }

    @Test("The document of a job has its counts and its operations")
    func job() throws {
        try expect(
            JobDocument(
                job: JobNumber(12),
                name: "thumbnails",
                state: .executing,
                counts: counts,
                queues: ["images"],
                operations: [succeeded()],
                submittedAt: moment(0),
                startedAt: moment(1),
                etaSeconds: 2.5
            ),
            writes:
                #"{"job":12,"name":"thumbnails","key":null,"by":null,"state":"executing","open":false,"outcome":null,"retryOf":null,"retriedAs":[],"retries":[],"maxFailures":null,"deadline":null,"hooks":null,"hookRuns":null,"tags":{},"traceContext":null,"counts":\#(countsText),"progress":0.5,"#
                + #""size":4,"queues":["images"],"operations":[\#(succeededText)],"submittedAt":"\#(moment(0))","#
                + #""startedAt":"\#(moment(1))","finishedAt":null,"etaSeconds":2.5,"next":null}"#
        )
    }

    @Test("A job submitted with a key shows the key, and who submitted it if somebody is known")
    func jobKey() {
        let document = JobDocument(
            job: JobNumber(12),
            name: "n",
            key: "nightly",
            by: "laptop",
            state: .ready,
            counts: counts,
            operations: [],
            submittedAt: moment(0)
        )
        #expect(text(document).hasPrefix(#"{"job":12,"name":"n","key":"nightly","by":"laptop","state":"ready","#))
    }

    @Test("PG6 The progress of a job counts its finished operations unless the exact fraction is given")
    func jobProgress() {
        func document(_ counts: JobCounts, progress: Double? = nil) -> JobDocument {
            JobDocument(
                job: JobNumber(1),
                name: nil,
                state: counts.state,
                counts: counts,
                progress: progress,
                operations: [],
                submittedAt: moment(0)
            )
        }
        #expect(document(counts).progress == 0.5)
        #expect(document(counts, progress: 0.625).progress == 0.625)
        #expect(document(JobCounts()).progress == 0, "never NaN")
    }

    @Test("The document of a list of jobs has each job and the number to continue with")
    func jobs() throws {
        let job = JobListDocument.Job(
            job: JobNumber(12),
            name: nil,
            queue: "images",
            state: .finished,
            counts: counts,
            submittedAt: moment(0),
            by: "laptop"
        )
        var anonymous = job
        anonymous.by = nil
        anonymous.finishedAt = moment(1)
        anonymous.command = ["sh", "-c", "true"]
        anonymous.retryOf = JobNumber(7)
        anonymous.retriedAs = [JobNumber(14)]
        anonymous.retries = [JobRetry(job: JobNumber(14), state: .finished, outcome: .succeeded)]
        anonymous.tags = ["project": "x", "owner": "me"]
        let jobText =
            #"{"job":12,"name":null,"queue":"images","state":"finished","open":false,"outcome":null,"counts":\#(countsText),"#
            + #""submittedAt":"2026-11-21T03:00:00.000678Z","by":"#
        try expect(
            JobListDocument(jobs: [job, anonymous], next: JobNumber(12), more: 7),
            writes:
                #"{"jobs":[\#(jobText)"laptop","finishedAt":null,"command":null,"retryOf":null,"retriedAs":[],"retries":[],"tags":{}},\#(jobText)null,"#
                + #""finishedAt":"2026-11-21T03:00:01.000678Z","command":["sh","-c","true"],"retryOf":7,"#
                + #""retriedAs":[14],"retries":[{"job":14,"state":"finished","outcome":"succeeded"}],"tags":{"owner":"me","project":"x"}}],"next":12,"more":7}"#
        )
        try expect(JobListDocument(jobs: []), writes: #"{"jobs":[],"next":null,"more":0}"#)
    }

    @Test("The document of a queue lists its operations, and the document of all queues does not")
    func queues() throws {
        let images = SampleDocuments.queue
        var plain = QueueSummary(queue: "q", maxConcurrent: nil, suspended: true, qos: nil, count: 0, executing: 0)
        plain.rate = "10/s"
        try expect(
            QueueDocument(summary: images, operations: [OperationID(job: JobNumber(12), index: 1)]),
            writes: #"{"queue":"images","maxConcurrent":4,"suspended":false,"qos":"utility","count":3,"executing":1,"#
                + #""total":8,"completed":2,"progress":0.25,"rate":null,"operations":["12/1"],"more":2}"#
        )
        try expect(
            QueueListDocument(queues: [images, plain]),
            writes: #"{"queues":[{"queue":"images","maxConcurrent":4,"suspended":false,"qos":"utility","count":3,"#
                + #""executing":1,"total":8,"completed":2,"progress":0.25,"rate":null},{"queue":"q","maxConcurrent":null,"#
                + #""suspended":true,"qos":null,"count":0,"executing":0,"total":null,"completed":0,"progress":null,"#
                + #""rate":"10/s"}]}"#
        )
    }

    @Test("SC1 The document of a schedule has its settings, its next times, and what it started and skipped last")
    func schedules() throws {
        let text =
            #"{"schedule":"nightly","cron":"0 2 * * *","timeZone":"Europe/Berlin","overlap":"queue","catchUp":"last","#
            + #""paused":false,"next":["\#(SampleDocuments.moment(86_400))","\#(SampleDocuments.moment(172_800))"],"#
            + #""waiting":["\#(SampleDocuments.moment(-30))"],"lastTime":"\#(SampleDocuments.moment(-60))","lastJob":12,"#
            + #""skippedTime":"\#(SampleDocuments.moment(-90))","skipReason":"refused","skipMessage":"There is no room.","#
            + #""addedAt":"\#(SampleDocuments.moment(-100))","addedBy":"laptop"}"#
        try expect(SampleDocuments.schedule, writes: text)
        try expect(ScheduleListDocument(schedules: [SampleDocuments.schedule]), writes: #"{"schedules":[\#(text)]}"#)
        #expect(SampleDocuments.schedule.withoutContent.skipMessage == nil)
    }

    @Test("The document of the workers has their states, slots, types, and labels and resources by name")
    func workers() throws {
        try expect(
            WorkersDocument(workers: [
                WorkersDocument.Worker(
                    worker: "w1",
                    state: .suspect,
                    slots: 2,
                    executing: 1,
                    host: "h",
                    cpus: 1.5,
                    memory: 1 << 30,
                    memoryControl: "cgroup",
                    labels: ["b": "2", "a": "1"],
                    resources: ["gpu": 2, "a": 1],
                    used: WorkersDocument.Used(cpus: 0.5, memory: 512, resources: ["gpu": 1]),
                    types: ["resize"],
                    roundTripSeconds: 0.125,
                    silentSeconds: 1.5,
                    processID: 77
                ),
                WorkersDocument.Worker(
                    worker: "w2",
                    state: .failing,
                    reason: "No disk.",
                    draining: true,
                    drainedAt: moment(5),
                    drainedBy: "laptop",
                    endsAt: moment(6),
                    slots: 2,
                    executing: 0,
                    host: "h",
                    processID: 78
                ),
            ]),
            writes:
                #"{"workers":[{"worker":"w1","state":"suspect","draining":false,"slots":2,"executing":1,"host":"h","#
                + #""cpus":1.5,"memory":1073741824,"memoryControl":"cgroup","labels":{"a":"1","b":"2"},"#
                + #""resources":{"a":1,"gpu":2},"used":{"cpus":0.5,"memory":512,"resources":{"gpu":1}},"#
                + #""types":["resize"],"roundTripSeconds":0.125,"silentSeconds":1.5,"#
                + #""processID":77,"leftAt":null,"absent":false},"#
                + #"{"worker":"w2","state":"failing","reason":"No disk.","draining":true,"drainedAt":"\#(moment(5))","drainedBy":"laptop","#
                + #""endsAt":"\#(moment(6))","slots":2,"executing":0,"host":"h","#
                + #""cpus":null,"memory":null,"memoryControl":null,"labels":{},"resources":{},"used":null,"#
                + #""types":[],"roundTripSeconds":null,"silentSeconds":null,"processID":78,"leftAt":null,"absent":false}]}"#
        )
    }

    @Test("The document of the cluster's status has its address, workers, failing workers and counts")
    func status() throws {
        try expect(
            StatusDocument(
                coordinator: "tcp://127.0.0.1:7461",
                version: "0.1.0",
                epoch: 3,
                security: .curve,
                key: StatusDocument.Key(name: "laptop", role: "client"),
                uptimeSeconds: 60,
                time: Timestamp(rawValue: 0),
                workers: 2,
                awaitedWorkers: ["w3"],
                slots: 4,
                failing: [StatusDocument.Failing(worker: "w1", reason: "No disk.")],
                queues: 1,
                counts: counts,
                store: "postgresql",
                replication: "synchronous",
                role: "leader",
                standbys: [
                    StatusDocument.Standby(
                        address: "tcp://h2:7461",
                        host: "h2",
                        since: Timestamp(rawValue: 0),
                        sharesKeys: true
                    ),
                    StatusDocument.Standby(
                        address: "tcp://h3:7461",
                        host: nil,
                        since: Timestamp(rawValue: 0),
                        sharesKeys: nil
                    ),
                ]
            ),
            writes: #"{"coordinator":"tcp://127.0.0.1:7461","version":"0.1.0","epoch":3,"security":"curve","#
                + #""key":{"name":"laptop","role":"client"},"uptimeSeconds":60,"#
                + #""time":"1970-01-01T00:00:00.000000Z","#
                + #""workers":2,"awaitedWorkers":["w3"],"slots":4,"failing":[{"worker":"w1","reason":"No disk."}],"#
                + #""queues":1,"counts":\#(countsText),"store":"postgresql","replication":"synchronous","#
                + #""role":"leader","standbys":[{"address":"tcp://h2:7461","host":"h2","#
                + #""since":"1970-01-01T00:00:00.000000Z","sharesKeys":true},"#
                + #"{"address":"tcp://h3:7461","host":null,"since":"1970-01-01T00:00:00.000000Z","sharesKeys":null}]}"#
        )
    }

    @Test("The documents of keys have names and roles, and a secret only where a key is made")
    func keys() throws {
        try expect(
            KeysDocument(keys: [
                KeysDocument.Key(
                    name: "laptop",
                    role: "client",
                    publicKey: "k",
                    authorizedAt: Timestamp(rawValue: 0),
                    revokedAt: nil
                )
            ]),
            writes: #"{"keys":[{"name":"laptop","role":"client","publicKey":"k","#
                + #""authorizedAt":"1970-01-01T00:00:00.000000Z","revokedAt":null}]}"#
        )
        try expect(
            KeyDocument(name: "laptop", role: "client", coordinator: "tcp://h:1", token: "baton1-x"),
            writes: #"{"name":"laptop","role":"client","coordinator":"tcp://h:1","token":"baton1-x"}"#
        )
        try expect(
            KeyDocument(name: "laptop", role: "client"),
            writes: #"{"name":"laptop","role":"client","coordinator":null,"token":null}"#
        )
    }

    @Test("The document of a host's checks has their results and what to do")
    func doctor() throws {
        try expect(
            DoctorDocument(checks: [
                DoctorDocument.Check(check: "tcp", status: .failed, message: "It refuses.", advice: "Start it."),
                DoctorDocument.Check(check: "role", status: .skipped, message: "Not checked."),
            ]),
            writes: #"{"checks":[{"check":"tcp","status":"failed","message":"It refuses.","advice":"Start it."},"#
                + #"{"check":"role","status":"skipped","message":"Not checked.","advice":null}]}"#
        )
    }

    @Test(
        "The document of a state directory's processes is healthy if one runs, all answer, and those that have to are ready"
    )
    func health() throws {
        func process(answers: Bool = true, ready: Bool) -> HealthDocument.Process {
            HealthDocument.Process(role: .worker, name: "w1", answers: answers, ready: ready, message: "It runs.")
        }
        try expect(
            HealthDocument(processes: [process(ready: false)], wantsReady: false),
            writes: #"{"healthy":true,"processes":[{"role":"worker","name":"w1","answers":true,"ready":false,"#
                + #""coordinator":null,"executing":null,"duty":null,"message":"It runs."}]}"#
        )
        try expect(
            HealthDocument.Process(
                role: .coordinator,
                name: nil,
                answers: true,
                ready: true,
                coordinator: "tcp://h2:7461",
                duty: .standsBy,
                message: "It stands by."
            ),
            writes: #"{"role":"coordinator","name":null,"answers":true,"ready":true,"coordinator":"tcp://h2:7461","#
                + #""executing":null,"duty":"standsBy","message":"It stands by."}"#
        )
        try expect(
            HealthDocument.Process(
                role: .coordinator,
                name: nil,
                answers: true,
                ready: true,
                coordinator: "tcp://h2:7461",
                executing: 2,
                duty: .leads,
                keyTable: "none",
                message: "It leads."
            ),
            writes: #"{"role":"coordinator","name":null,"answers":true,"ready":true,"coordinator":"tcp://h2:7461","#
                + #""executing":2,"duty":"leads","keyTable":"none","message":"It leads."}"#
        )
        func isHealthy(_ processes: HealthDocument.Process..., wantsReady: Bool = false) -> Bool {
            HealthDocument(processes: processes, wantsReady: wantsReady).healthy
        }
        #expect(!isHealthy() && !isHealthy(wantsReady: true))
        #expect(isHealthy(process(ready: true), wantsReady: true))
        #expect(!isHealthy(process(ready: true), process(ready: false), wantsReady: true))
        #expect(!isHealthy(process(ready: true), process(answers: false, ready: false)))
    }

    @Test("The documents of changes have the changed numbers, notes and unanswered workers")
    func answers() throws {
        try expect(
            SubmitDocument(job: JobNumber(12), operations: 4),
            writes: #"{"job":12,"operations":4,"first":null}"#
        )
        let report = ChangeReport(changed: 2, notes: ["12/3 is finished."], unanswered: ["w1"])
        try expect(
            CancelDocument(report),
            writes: #"{"cancelled":2,"notes":["12/3 is finished."],"unanswered":["w1"]}"#
        )
        try expect(
            ChangeDocument(report),
            writes: #"{"changed":2,"notes":["12/3 is finished."],"unanswered":["w1"]}"#
        )
        try expect(ChangeDocument(ChangeReport(changed: 0)), writes: #"{"changed":0,"notes":[],"unanswered":[]}"#)
        try expect(
            WaitDocument(finished: true, counts: counts),
            writes: #"{"finished":true,"outcome":null,"counts":\#(countsText),"elapsedSeconds":null,"#
                + #""busySeconds":null,"slowest":null}"#
        )
        var wait = WaitDocument(finished: false, counts: counts)
        wait.elapsedSeconds = 2.5
        wait.busySeconds = 4
        let slowest = OperationID(job: JobNumber(12), index: 1)
        wait.slowest = [SummaryDocument.OperationTime(operation: slowest, name: nil, seconds: 2)]
        try expect(
            wait,
            writes: #"{"finished":false,"outcome":null,"counts":\#(countsText),"elapsedSeconds":2.5,"busySeconds":4.0,"#
                + #""slowest":[{"operation":"12/1","name":null,"seconds":2.0}]}"#
        )
    }

    @Test("The documents for people who look have reasons, sums, jobs, queues and workers")
    func looks() throws {
        let operation = OperationID(job: JobNumber(12), index: 3)
        try expect(
            StandstillDocument(operations: [
                StandstillDocument.Operation(operation: operation, waitsFor: [.hold]),
                StandstillDocument.Operation(operation: nil, waitsFor: []),
            ]),
            writes: #"{"operations":[{"operation":"12/3","waitsFor":[{"kind":"hold","message":"It is held."}]},"#
                + #"{"operation":null,"waitsFor":[]}]}"#
        )
        let overview = SampleDocuments.overview
        let counts = String(decoding: overview.counts.json, as: UTF8.self)
        try expect(
            overview,
            writes: #"{"coordinator":"tcp://127.0.0.1:7461","version":"0.1.0","epoch":3,"uptimeSeconds":60,"#
                + #""time":"\#(overview.time)","recordFault":null,"workers":2,"awaitedWorkers":0,"slots":4,"#
                + #""counts":\#(counts),"finished":2,"finishedPerSecond":0.5,"failedLastHour":0,"#
                + #""jobs":[{"job":12,"name":"thumbnails","command":null,"state":"executing","open":false,"#
                + #""counts":\#(counts),"#
                + #""progress":0.625,"submittedAt":"\#(overview.jobs[0].submittedAt)","etaSeconds":36.0}],"moreJobs":0,"#
                + #""queues":[{"queue":"images","suspended":true,"maxConcurrent":4,"executing":1,"waiting":1}],"moreQueues":0,"#
                + #""troubledWorkers":[{"worker":"w1","state":"failing","reason":"No space is left on the disk.","slots":2,"#
                + #""executing":0}],"moreTroubledWorkers":0,"#
                + #""stopped":[{"operation":"12/3","worker":"w1","stop":{"signal":21,"name":"SIGTTIN","#
                + #""since":"\#(overview.time)"}},"#
                + #"{"operation":"12/4","hook":true,"worker":"w2","stop":{"signal":19,"name":"SIGSTOP","#
                + #""since":"\#(SampleDocuments.moment(70))"}}],"moreStopped":0}"#
        )
        // A coordinator of Baton 0.1.0 does not tell what is stopped.
        var older = overview
        (older.stopped, older.moreStopped) = (nil, nil)
        let text = String(decoding: older.json, as: UTF8.self)
        #expect(!text.contains("topped"))
        #expect(try JSONDecoder().decode(OverviewDocument.self, from: Data(older.json)) == older)
        #expect(overview.withoutContent.troubledWorkers[0].reason != overview.troubledWorkers[0].reason)
    }

    @Test("The document of an error has its code, its sentence, the path of a cycle, and advice if there is any")
    func errors() throws {
        try expect(
            ErrorDocument(Refusal(.cycle, "A cycle.", path: ["a", "b", "a"])),
            writes: #"{"error":{"code":"cycle","message":"A cycle.","path":["a","b","a"]}}"#
        )
        try expect(
            ErrorDocument(code: "usage", message: "No."),
            writes: #"{"error":{"code":"usage","message":"No.","path":[]}}"#
        )
        try expect(
            ErrorDocument.Failure(code: "notFound", message: "No.", advice: "Look."),
            writes: #"{"code":"notFound","message":"No.","path":[],"advice":"Look."}"#
        )
    }

    @Test(
        "A moment in a document is read as it was written",
        arguments: [
            0, 1, -1, 951_782_400_000_000, 951_868_799_999_999, 4_107_542_400_000_000, 253_402_300_799_999_999,
            -62_135_596_800_000_000, 1_795_230_000_000_678,
        ] as [Int64]
    )
    func moments(microseconds: Int64) throws {
        struct Moment: Decodable { var at: Timestamp }
        let moment = Timestamp(rawValue: microseconds)
        let again = try JSONDecoder().decode(Moment.self, from: Data(#"{"at":"\#(moment)"}"#.utf8))
        #expect(again.at == moment)
    }

    @Test(
        "A document with an unknown word, a malformed address or missing keys is refused",
        arguments: [
            #"{"finished":1,"counts":{}}"#, #"{"operation":"1/0","state":"asleep","waitsFor":[],"message":""}"#,
            #"{"operation":"1","state":"ready","waitsFor":[],"message":""}"#,
        ]
    )
    func unknownWords(json: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(ExplainDocument.self, from: Data(json.utf8)) }
    }
}
