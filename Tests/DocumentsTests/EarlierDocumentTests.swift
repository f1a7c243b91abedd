@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
import Foundation
import Testing

/// Documents of a coordinator of protocol 6, as its manual shows them.
@Suite("Documents of the previous protocol version")
struct EarlierDocumentTests {
    private func read<D: Document>(_ type: D.Type, _ text: String) throws -> D {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }

    @Test("The status has no protection, no key and no time")
    func status() throws {
        let status = try read(
            StatusDocument.self,
            #"""
            {"coordinator":"tcp://127.0.0.1:7461","version":"0.1.0","epoch":3,"uptimeSeconds":60,"workers":2,"awaitedWorkers":[],
             "slots":4,"failing":[{"worker":"w1","reason":"No space is left on the disk."}],"queues":1,"counts":{"pending":1,
             "ready":0,"executing":1,"succeeded":2,"failed":0,"cancelled":0,"skipped":0,"notNeeded":0}}
            """#
        )
        #expect(status.workers == 2 && status.counts.succeeded == 2)
        #expect(status.security == .none && status.key == nil && status.time == nil)
    }

    @Test("A list of jobs has no ends, no commands and no number of further jobs")
    func listOfJobs() throws {
        let list = try read(
            JobListDocument.self,
            #"""
            {"jobs":[{"job":12,"name":null,"queue":"images","state":"executing","outcome":null,"counts":{"pending":1,"ready":0,
             "executing":1,"succeeded":2,"failed":0,"cancelled":0,"skipped":0,"notNeeded":0},
             "submittedAt":"2026-11-21T03:00:00.000678Z","by":null}],"next":null}
            """#
        )
        #expect(list.jobs.count == 1 && list.more == nil)
        #expect(list.jobs[0].finishedAt == nil && list.jobs[0].command == nil)
    }

    @Test("Workers are not draining, and have no time limit")
    func workers() throws {
        let workers = try read(
            WorkersDocument.self,
            #"""
            {"workers":[{"worker":"w2","state":"alive","slots":2,"executing":1,"host":"build2","labels":{},"resources":{},
             "types":["resize"],"processID":77,"absent":false}]}
            """#
        ).workers
        #expect(workers.map(\.worker) == ["w2"])
        #expect(workers.allSatisfy { !$0.draining && $0.endsAt == nil && $0.roundTripSeconds == nil })
        let failing = try read(
            WorkersDocument.Worker.self,
            #"""
            {"worker":"w2","state":"failing","reason":"No space is left on the disk.","slots":2,"executing":1,"host":"build2",
             "labels":{},"resources":{},"types":["resize"],"processID":77,"absent":false}
            """#
        )
        #expect(failing.state == .failing && !failing.draining)
    }

    @Test("A worker has no shares of its slots")
    func worker() throws {
        let document = try read(
            WorkerDocument.self,
            #"""
            {"worker":{"worker":"w2","state":"alive","slots":2,"executing":1,"host":"build2","labels":{},"resources":{},
             "types":[],"processID":77,"absent":false},"executing":[],"since":null,"succeeded":1,"unsuccessful":0,"ended":[]}
            """#
        )
        #expect(document.succeeded == 1 && document.busy.isEmpty && document.busyBucketSeconds == 0)
    }

    @Test("An operation has the options of its version")
    func operation() throws {
        let operation = try read(
            OperationDocument.self,
            #"""
            {"operation":"12/1","name":"sepia","queue":"images","state":"finished","outcome":"succeeded","cancelled":false,
             "reason":null,"exitStatus":0,"signal":null,"priority":4,"qos":null,"attempt":1,"worker":"w1","dependencies":[{"operation":"12/0",
             "condition":"success"}],"progress":1.0,"submittedAt":"2026-11-21T03:00:00.000678Z","readyAt":"2026-11-21T03:00:01.000678Z",
             "startedAt":"2026-11-21T03:00:02.000678Z","finishedAt":"2026-11-21T03:00:03.000678Z","message":null,
             "skippedBecauseOf":null,"item":null,"losses":0,"hasResult":true,"command":["convert","a.png","-sepia-tone",
             "80%","b.png"],"commands":null,"type":null,"argument":null,"progressMessage":null,"held":false,"barrier":false,
             "onFinish":null,"restart":"onLoss","index":null,"settings":{"priority":4,"qos":null,"nice":0,"barrier":false,
             "hold":false,"retries":0,"retryDelay":"1s","restart":"onLoss","timeout":null,"grace":"5s","delay":null,
             "onFinish":null,"env":[],"cwd":null,"stdin":false},"attempts":[]}
            """#
        )
        #expect(operation.outcome == .succeeded && operation.attempts == [])
        #expect(operation.settings.values["grace"] == .text("5s") && operation.settings.values["cpus"] == nil)
        let attempt = try read(
            AttemptDocument.self,
            #"""
            {"attempt":1,"worker":"w1","reason":"exit","exitStatus":3,"signal":null,"startedAt":"2026-11-21T03:00:02.000678Z",
             "endedAt":"2026-11-21T03:00:03.000678Z","message":"It exited with status 3."}
            """#
        )
        #expect(attempt.exitStatus == 3)
    }

    @Test("Jobs tell nobody who submitted them")
    func jobs() throws {
        let job = try read(
            JobDocument.self,
            #"""
            {"job":12,"name":"thumbnails","key":null,"state":"executing","outcome":null,"retryOf":null,"retriedAs":[],
             "counts":{"pending":1,"ready":0,"executing":1,"succeeded":2,"failed":0,"cancelled":0,"skipped":0,"notNeeded":0},
             "progress":0.5,"operations":[],"submittedAt":"2026-11-21T03:00:00.000678Z","next":null}
            """#
        )
        #expect(job.state == .executing && job.by == nil)
        let list = try read(
            JobListDocument.self,
            #"""
            {"jobs":[{"job":12,"name":"thumbnails","queue":"images","state":"executing","outcome":null,"counts":{"pending":1,
             "ready":0,"executing":1,"succeeded":2,"failed":0,"cancelled":0,"skipped":0,"notNeeded":0},"submittedAt":"2026-11-21T03:00:00.000678Z"}],
             "next":null}
            """#
        )
        #expect(list.jobs.map(\.name) == ["thumbnails"] && list.jobs.allSatisfy { $0.by == nil })
    }

    @Test("The other answers of a coordinator are read")
    func others() throws {
        let submit = try read(
            SubmitDocument.self,
            #"""
            {"job":12,"operations":4}
            """#
        )
        #expect(submit.operations == 4)
        let wait = try read(
            WaitDocument.self,
            #"""
            {"finished":false,"outcome":null,"counts":{"pending":1,"ready":0,"executing":1,"succeeded":2,"failed":0,
             "cancelled":0,"skipped":0,"notNeeded":0}}
            """#
        )
        #expect(wait.finished == false && wait.elapsedSeconds == nil && wait.slowest == nil)
        let explain = try read(
            ExplainDocument.self,
            #"""
            {"operation":"12/1","state":"pending","waitsFor":[{"kind":"dependency","operation":"12/0","condition":"success",
             "counts":{"pending":1,"ready":0,"executing":1,"succeeded":2,"failed":0,"cancelled":0,"skipped":0,"notNeeded":0},
             "waitsFor":[],"message":"2 operations of 12/0 are not finished; this one can start when that has succeeded, and is skipped if it does not."}],
             "message":"12/1 is pending and waits for one thing."}
            """#
        )
        #expect(explain.waitsFor.count == 1)
        let cancel = try read(
            CancelDocument.self,
            #"""
            {"cancelled":2,"notes":["12/3 is finished."],"unanswered":["w1"]}
            """#
        )
        #expect(cancel.cancelled == 2)
        let changes = try read(
            ChangeDocument.self,
            #"""
            {"changed":2,"notes":["12/3 is finished."],"unanswered":["w1"]}
            """#
        )
        #expect(changes.changed == 2)
        let queue = try read(
            QueueDocument.self,
            #"""
            {"queue":"images","maxConcurrent":4,"suspended":false,"qos":"utility","count":3,"executing":1,"total":8,
             "completed":2,"progress":0.25,"operations":["12/1","12/2"]}
            """#
        )
        #expect(queue.operations.count == 2)
        let queues = try read(
            QueueListDocument.self,
            #"""
            {"queues":[{"queue":"images","maxConcurrent":4,"suspended":false,"qos":"utility","count":3,"executing":1,
             "total":8,"completed":2,"progress":0.25}]}
            """#
        )
        #expect(queues.queues.count == 1)
    }

    @Test("Events tell nobody who asked for a change")
    func events() throws {
        let lines = #"""
            {"seq":812,"time":"2026-11-21T03:00:00.000678Z","event":"job","job":12,"state":"submitted","operations":4}
            {"seq":813,"time":"2026-11-21T03:00:01.000678Z","event":"operation","operation":"12/1","state":"executing", "attempt":1,"worker":"w1"}
            {"seq":814,"time":"2026-11-21T03:00:02.000678Z","event":"operation","operation":"12/1","progress":0.25, "message":"a quarter"}
            {"seq":815,"time":"2026-11-21T03:00:03.000678Z","event":"operation","operation":"12/1","cancelled":true}
            {"seq":816,"time":"2026-11-21T03:00:04.000678Z","event":"operation","operation":"12/2","held":true}
            {"seq":817,"time":"2026-11-21T03:00:05.000678Z","event":"operation","operation":"12/2","priority":4}
            {"seq":818,"time":"2026-11-21T03:00:06.000678Z","event":"operation","operation":"12/2","dependencies":true}
            {"seq":819,"time":"2026-11-21T03:00:07.000678Z","event":"operation","operation":"12/1","state":"finished", "outcome":"cancelled","attempt":1,"worker":"w1"}
            {"seq":820,"time":"2026-11-21T03:00:08.000678Z","event":"job","job":12,"state":"finished","outcome":"cancelled", "counts":{"pending":0,"ready":0,"executing":0,"succeeded":3,"failed":0,"cancelled":1,"skipped":0,"notNeeded":0}}
            {"seq":821,"time":"2026-11-21T03:00:09.000678Z","event":"queue","queue":"images","maxConcurrent":4,"suspended":false, "qos":null,"total":8}
            {"seq":822,"time":"2026-11-21T03:00:10.000678Z","event":"worker","state":"suspect","worker":"w1"}
            {"seq":900,"event":"missed","count":40}
            """#
        let events = try lines.split(separator: "\n").map { try read(EventDocument.self, String($0)) }
        #expect(events.count == 12 && events.allSatisfy { $0.by == nil && $0.request == nil })
    }

    @Test("A missing key that every version has is an error, and so is a value of another type")
    func damaged() throws {
        for damaged in [#"{"workers":[{"worker":"w2"}]}"#, #"{"workers":[{"worker":"w2","draining":"no"}]}"#] {
            #expect(throws: DecodingError.self) { try read(WorkersDocument.self, damaged) }
        }
    }
}
