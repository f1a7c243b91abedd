import Documents
import Foundation
import Operations
import Testing

@Suite("Documents")
struct DocumentTests {
    @Test("An operation is written with all its keys")
    func operation() throws {
        try expect(succeeded(), writes: succeededText)
    }

    @Test("What failed has its reason as a word and as a sentence; several commands have a key of their own")
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
                + #""message":"Signal 9 ended it.","item":"x","losses":1,"hasResult":false,"command":null,"#
                + #""commands":[["a"],["b","c"]]}"#
        )
    }

    @Test("An operation that does nothing has no command")
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
        #expect(text(document).hasSuffix(#""command":null,"commands":null}"#))
    }

    @Test("A job is written with its counts and operations")
    func job() throws {
        try expect(
            JobDocument(
                job: JobNumber(12),
                name: "thumbnails",
                state: .executing,
                counts: counts,
                operations: [succeeded()],
                submittedAt: moment(0)
            ),
            writes: #"{"job":12,"name":"thumbnails","state":"executing","counts":\#(countsText),"#
                + #""operations":[\#(succeededText)],"submittedAt":"2026-11-21T03:00:00.000678Z","next":null}"#
        )
    }

    @Test("Jobs are listed")
    func jobs() throws {
        let job = JobListDocument.Job(
            job: JobNumber(12),
            name: nil,
            queue: "images",
            state: .finished,
            counts: counts,
            submittedAt: moment(0)
        )
        let jobText =
            #"{"job":12,"name":null,"queue":"images","state":"finished","counts":\#(countsText),"#
            + #""submittedAt":"2026-11-21T03:00:00.000678Z"}"#
        try expect(
            JobListDocument(jobs: [job, job], next: JobNumber(12)),
            writes: #"{"jobs":[\#(jobText),\#(jobText)],"next":12}"#
        )
        try expect(JobListDocument(jobs: []), writes: #"{"jobs":[],"next":null}"#)
    }

    @Test("A queue is written with what is in it, and listed without")
    func queues() throws {
        let images = QueueSummary(
            queue: "images",
            maxConcurrent: 4,
            suspended: false,
            qos: .utility,
            count: 3,
            executing: 1
        )
        let plain = QueueSummary(queue: "q", maxConcurrent: nil, suspended: true, qos: nil, count: 0, executing: 0)
        try expect(
            QueueDocument(summary: images, operations: [OperationID(job: JobNumber(12), index: 1)]),
            writes: #"{"queue":"images","maxConcurrent":4,"suspended":false,"qos":"utility","count":3,"executing":1,"#
                + #""operations":["12/1"]}"#
        )
        try expect(
            QueueListDocument(queues: [images, plain]),
            writes: #"{"queues":[{"queue":"images","maxConcurrent":4,"suspended":false,"qos":"utility","count":3,"#
                + #""executing":1},{"queue":"q","maxConcurrent":null,"suspended":true,"qos":null,"count":0,"executing":0}]}"#
        )
    }

    @Test("Workers are listed, their labels and resources by name")
    func workers() throws {
        try expect(
            WorkersDocument(workers: [
                WorkersDocument.Worker(
                    worker: "w1",
                    state: .suspect,
                    slots: 2,
                    executing: 1,
                    host: "h",
                    labels: ["b": "2", "a": "1"],
                    resources: ["gpu": 1],
                    processID: 77
                )
            ]),
            writes: #"{"workers":[{"worker":"w1","state":"suspect","slots":2,"executing":1,"host":"h","#
                + #""labels":{"a":"1","b":"2"},"resources":{"gpu":1},"processID":77}]}"#
        )
    }

    @Test("The cluster's status is written")
    func status() throws {
        try expect(
            StatusDocument(
                coordinator: "tcp://127.0.0.1:7461",
                version: "0.1.0",
                epoch: 3,
                uptimeSeconds: 60,
                workers: 2,
                slots: 4,
                queues: 1,
                counts: counts
            ),
            writes: #"{"coordinator":"tcp://127.0.0.1:7461","version":"0.1.0","epoch":3,"uptimeSeconds":60,"#
                + #""workers":2,"slots":4,"queues":1,"counts":\#(countsText)}"#
        )
    }

    @Test("What a command did is written")
    func answers() throws {
        try expect(SubmitDocument(job: JobNumber(12), operations: 4), writes: #"{"job":12,"operations":4}"#)
        try expect(CancelDocument(cancelled: 2), writes: #"{"cancelled":2}"#)
        try expect(
            WaitDocument(finished: true, counts: counts),
            writes: #"{"finished":true,"counts":\#(countsText)}"#
        )
    }

    @Test("An error has its code, its sentence and the path of a cycle")
    func errors() throws {
        try expect(
            ErrorDocument(Refusal(.cycle, "A cycle.", path: ["a", "b", "a"])),
            writes: #"{"error":{"code":"cycle","message":"A cycle.","path":["a","b","a"]}}"#
        )
        try expect(
            ErrorDocument(code: "usage", message: "No."),
            writes: #"{"error":{"code":"usage","message":"No.","path":[]}}"#
        )
    }

    @Test("An explanation lists what the operation waits for, and says what would change it")
    func explain() throws {
        var one = JobCounts()
        one.executing = 1
        try expect(
            ExplainDocument(
                operation: OperationID(job: JobNumber(12), index: 1),
                state: .pending,
                waitsFor: [
                    .dependency(on: .job(JobNumber(3)), condition: .success, counts: one),
                    .delay(until: moment(9), isRetry: true),
                ]
            ),
            writes: #"{"operation":"12/1","state":"pending","waitsFor":[{"kind":"dependency","operation":"3","#
                + #""condition":"success","counts":{"pending":0,"ready":0,"executing":1,"succeeded":0,"failed":0,"#
                + #""cancelled":0,"skipped":0},"message":"3 is executing; this one can start when that has succeeded, "#
                + #"and is skipped if it does not."},{"kind":"delay","until":"2026-11-21T03:00:09.000678Z","#
                + #""message":"Its last attempt failed; the next one can start at 2026-11-21T03:00:09.000678Z."}],"#
                + #""message":"12/1 is pending and waits for 2 things."}"#
        )
        try expect(
            ExplainDocument(
                operation: OperationID(job: JobNumber(12), index: 1),
                state: .ready,
                waitsFor: [
                    .limit(queue: "q", limit: 2, executing: 2), .slots(total: 4), .order(queue: "q", ahead: 3),
                    .noWorker(),
                ]
            ),
            writes: #"{"operation":"12/1","state":"ready","waitsFor":[{"kind":"limit","queue":"q","limit":2,"#
                + #""executing":2,"message":"The queue \"q\" executes 2 of at most 2 at once; wait for one to end, or raise "#
                + #"the limit with \"baton queue set q --max-concurrent N\"."},{"kind":"slots","slots":4,"message":"#
                + #""All 4 slots of the workers are taken; wait for one to be free, or start another worker with "#
                + #"\"baton worker\"."},{"kind":"order","queue":"q","ahead":3,"message":"3 operations of the queue \"q\" "#
                + #"come first, by priority or age."},{"kind":"noWorker","message":"No worker is connected that could run "#
                + #"it; start one with \"baton worker\"."}],"message":"12/1 is ready and waits for 4 things."}"#
        )
    }

    @Test(
        "A moment is read as it was written",
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
        "A word that documents do not have is refused",
        arguments: [
            #"{"finished":1,"counts":{}}"#, #"{"operation":"1/0","state":"asleep","waitsFor":[],"message":""}"#,
            #"{"operation":"1","state":"ready","waitsFor":[],"message":""}"#,
        ]
    )
    func unknownWords(json: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(ExplainDocument.self, from: Data(json.utf8)) }
    }
}
