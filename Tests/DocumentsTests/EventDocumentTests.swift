@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
import Testing

@Suite("Documents of events")
struct EventDocumentTests {
    private let operation = OperationID(job: JobNumber(12), index: 1)

    private func event(_ subject: ClusterEvent.Subject, by: String? = nil) -> EventDocument {
        EventDocument(ClusterEvent(sequence: 812, time: moment(1), by: by, subject: subject))
    }

    private func line(_ rest: String) -> String {
        #"{"seq":812,"time":"2026-11-21T03:00:01.000678Z","event":"# + rest + "}"
    }

    @Test("The event of an operation is one line with the keys of its change")
    func operations() throws {
        func change(_ change: ClusterEvent.OperationChange) -> EventDocument {
            event(.operations(operation, count: 1, change))
        }
        let lead = #""operation","operation":"12/1","#
        try expect(
            change(.state(.executing, outcome: nil, attempt: 1, worker: "w1")),
            writes: line(lead + #""state":"executing","attempt":1,"worker":"w1""#)
        )
        try expect(
            change(.state(.finished, outcome: .skipped, attempt: 0, worker: nil)),
            writes: line(lead + #""state":"finished","outcome":"skipped","attempt":0"#)
        )
        try expect(change(.cancelled), writes: line(lead + #""cancelled":true,"by":null"#))
        try expect(change(.held(true)), writes: line(lead + #""held":true,"by":null"#))
        try expect(change(.held(false)), writes: line(lead + #""held":false,"by":null"#))
        try expect(change(.paused(true)), writes: line(lead + #""paused":true,"by":null"#))
        try expect(change(.paused(false)), writes: line(lead + #""paused":false,"by":null"#))
        try expect(change(.signalled(.user1)), writes: line(lead + #""signal":"USR1","by":null"#))
        try expect(change(.priority(.veryLow)), writes: line(lead + #""priority":-8,"by":null"#))
        try expect(change(.dependencies), writes: line(lead + #""dependencies":true,"by":null"#))
        try expect(change(.commands), writes: line(lead + #""commands":true,"by":null"#))
        try expect(
            change(.progress(OperationProgress(fraction: 0.25, message: "a \"quarter\""))),
            writes: line(lead + #""progress":0.25,"message":"a \"quarter\"""#)
        )
        try expect(change(.progress(OperationProgress(fraction: 1))), writes: line(lead + #""progress":1.0"#))
    }

    @Test("The events of jobs, queues and workers are lines with their own keys")
    func others() throws {
        let job = JobNumber(12)
        try expect(
            event(.jobSubmitted(job, operations: 4)),
            writes: line(#""job","job":12,"state":"submitted","operations":4,"by":null"#)
        )
        try expect(
            event(.jobFinished(job, counts)),
            writes: line(#""job","job":12,"state":"finished","counts":\#(countsText)"#)
        )
        try expect(
            event(
                .queue("q", QueueSettings(maxConcurrent: 0, qualityOfService: .utility, isSuspended: true, total: 9))
            ),
            writes: line(#""queue","queue":"q","maxConcurrent":0,"suspended":true,"qos":"utility","total":9,"by":null"#)
        )
        try expect(
            event(.queue("q", QueueSettings(startRate: StartRate("30/m")))),
            writes: line(
                #""queue","queue":"q","maxConcurrent":null,"suspended":false,"qos":null,"total":null,"rate":"30/m","by":null"#
            )
        )
        try expect(
            event(.queue("q", QueueSettings())),
            writes: line(
                #""queue","queue":"q","maxConcurrent":null,"suspended":false,"qos":null,"total":null,"by":null"#
            )
        )
        try expect(
            event(.operationsAdded(job, first: 4, count: 3)),
            writes: line(#""job","job":12,"state":"added","first":4,"added":3,"by":null"#)
        )
        try expect(event(.jobClosed(job)), writes: line(#""job","job":12,"state":"closed","by":null"#))
        try expect(event(.queueDeleted("q")), writes: line(#""queue","queue":"q","deleted":true,"by":null"#))
        for (condition, word) in [
            (WorkerCondition.alive, "alive"), (.draining, "draining"), (.suspect, "suspect"), (.lost, "lost"),
            (.left, "left"), (.failing, "failing"),
        ] {
            try expect(event(.worker("w1", condition)), writes: line(#""worker","state":"\#(word)","worker":"w1""#))
        }
        for request in WorkerRequest.allCases {
            try expect(
                event(.workerRequest("w1", request)),
                writes: line(#""worker","worker":"w1","request":"\#(request.word)","by":null"#)
            )
        }
    }

    @Test("SC3 The event of a schedule says what happened to it, and who asked for that")
    func schedules() throws {
        for news in ScheduleNews.allCases {
            let by = news == .skipped ? "" : #","by":null"#
            try expect(
                event(.schedule("nightly", news)),
                writes: line(#""schedule","schedule":"nightly","state":"\#(news.word)"\#(by)"#)
            )
        }
    }

    @Test("The event of a shared limit has its units, or that it was removed")
    func limits() throws {
        try expect(
            event(.limit(LimitChange("licence", units: 3))),
            writes: line(#""limit","limit":"licence","units":3,"by":null"#)
        )
        try expect(
            event(.limit(LimitChange("licence", units: nil))),
            writes: line(#""limit","deleted":true,"limit":"licence","by":null"#)
        )
    }

    @Test("The event of a host's clock that was set tells by how much")
    func clock() throws {
        try expect(event(.clockStepped(.milliseconds(-1500))), writes: line(#""clock","steppedSeconds":-1.5"#))
    }

    @Test("The event of an incomplete record says how much is lost")
    func incompleteRecord() throws {
        try expect(
            event(.recordIncomplete(jobs: 3, commits: 9)),
            writes: line(#""record","state":"incomplete","lostJobs":3,"lostCommits":9"#)
        )
    }

    @Test("The event of a change that somebody asked for names the requester")
    func requesters() throws {
        let lead = #""operation","operation":"12/1","#
        try expect(
            event(.operations(operation, count: 1, .cancelled), by: "laptop"),
            writes: line(lead + #""cancelled":true,"by":"laptop""#)
        )
        try expect(
            event(.jobSubmitted(JobNumber(12), operations: 4), by: "12/3"),
            writes: line(#""job","job":12,"state":"submitted","operations":4,"by":"12/3""#)
        )
        let several = event(.operations(operation, count: 3, .held(true)), by: "laptop")
        #expect(several.single.map(\.by) == ["laptop", "laptop", "laptop"])
    }

    @Test("OB10 An event about several operations splits into one event for each, with a number of its own")
    func several() throws {
        let document = event(.operations(operation, count: 3, .state(.ready, outcome: nil, attempt: 0, worker: nil)))
        try expect(
            document,
            writes: line(#""operation","operation":"12/1","count":3,"state":"ready","attempt":0"#)
        )
        let singles = Array(document.single)
        #expect(singles.map(\.seq) == [812, 813, 814])
        #expect(singles.map(\.operation?.description) == ["12/1", "12/2", "12/3"])
        #expect(singles.allSatisfy { $0.count == nil && $0.state == "ready" && $0.time == moment(1) })
        for lonely in [event(.operations(operation, count: 1, .cancelled)), event(.worker("w", .lost))] {
            #expect(Array(lonely.single) == [lonely])
        }
    }

    @Test("OB10 The event of missed changes has the number of the last one and stays a single event")
    func missed() throws {
        let document = EventDocument(missed: 40, last: 811)
        try expect(document, writes: #"{"seq":811,"event":"missed","count":40}"#)
        #expect(Array(document.single) == [document])
    }
}
