@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
import Testing

@Suite("Explanations")
struct ExplainDocumentTests {
    private let operation = OperationID(job: JobNumber(12), index: 1)

    @Test("An explanation lists what an operation waits for, with the reasons of a dependency inside it")
    func nested() throws {
        var one = JobCounts()
        one.pending = 1
        try expect(
            ExplainDocument(
                operation: operation,
                state: .pending,
                waitsFor: [
                    .dependency(
                        on: .job(JobNumber(3)),
                        condition: .success,
                        counts: one,
                        waitsFor: [.hold]
                    ),
                    .delay(until: moment(9), isRetry: true, now: moment(7)),
                ]
            ),
            writes: #"{"operation":"12/1","state":"pending","waitsFor":[{"kind":"dependency","operation":"3","#
                + #""condition":"success","counts":{"pending":1,"ready":0,"executing":0,"succeeded":0,"failed":0,"#
                + #""cancelled":0,"skipped":0,"notNeeded":0},"waitsFor":[{"kind":"hold","message":"It is held."}],"#
                + #""message":"3 is pending; this one can start when that has succeeded, "#
                + #"and is skipped if it does not."},{"kind":"delay","until":"2026-11-21T03:00:09.000678Z","#
                + #""message":"Its last attempt failed; the next one can start in 2.0s, at 2026-11-21 03:00:09 UTC."}],"#
                + #""message":"12/1 is pending and waits for 2 things."}"#
        )
    }

    @Test("RT6 A paused operation is told with who paused it, if somebody is known, and since when")
    func paused() throws {
        try expect(
            ExplainDocument(
                operation: operation,
                state: .executing,
                waitsFor: [],
                paused: PauseDocument(by: "alice", since: moment(9))
            ),
            writes: #"{"operation":"12/1","state":"executing","waitsFor":[],"#
                + #""paused":{"by":"alice","since":"2026-11-21T03:00:09.000678Z"},"#
                + #""message":"12/1 is executing, but paused by alice."}"#
        )
        let unknown = PauseDocument(by: nil, since: moment(9))
        let document = ExplainDocument(operation: operation, state: .executing, waitsFor: [], paused: unknown)
        #expect(document.message == "12/1 is executing, but paused.")
    }

    @Test("Each reason has its kind, the keys of the kind and a sentence without advice")
    func reasons() throws {
        let barrier = OperationID(job: JobNumber(12), index: 0)
        let rate = try #require(StartRate("30/m"))
        var executing = JobCounts()
        executing.executing = 1
        var three = JobCounts()
        three.ready = 3
        let reasons: [(WaitReason, String)] = [
            (
                .dependency(on: .named(JobNumber(12), "a"), condition: .any, counts: executing),
                #"{"kind":"dependency","operation":"12/a","condition":"any","counts":{"pending":0,"ready":0,"executing":1,"#
                    + #""succeeded":0,"failed":0,"cancelled":0,"skipped":0,"notNeeded":0},"waitsFor":[],"message":"12/a is executing; this "#
                    + #"one can start when that is finished."}"#
            ),
            (
                .dependency(on: .job(JobNumber(3)), condition: .failure, counts: three),
                #"{"kind":"dependency","operation":"3","condition":"failure","counts":{"pending":0,"ready":3,"executing":0,"#
                    + #""succeeded":0,"failed":0,"cancelled":0,"skipped":0,"notNeeded":0},"waitsFor":[],"message":"3 operations of 3 are not "#
                    + #"finished; this one can start when that has failed, and is skipped if it does not."}"#
            ),
            (.hold, #"{"kind":"hold","message":"It is held."}"#),
            (
                .delay(until: moment(3609), isRetry: false, now: moment(9)),
                #"{"kind":"delay","until":"2026-11-21T04:00:09.000678Z","message":"It was submitted with a delay and can "#
                    + #"start in 1h 00m, at 2026-11-21 04:00:09 UTC."}"#
            ),
            (
                .suspended(queue: "q"),
                #"{"kind":"suspended","queue":"q","message":"The queue \"q\" is suspended and starts nothing."}"#
            ),
            (
                .cancelled(queue: "q"),
                #"{"kind":"suspended","queue":"q","message":"It was cancelled and never starts; it is finished once the queue "#
                    + #"\"q\", which is suspended, is resumed."}"#
            ),
            (
                .moreDependencies(7),
                #"{"kind":"dependency","more":7,"message":"7 other dependencies are not finished."}"#
            ),
            (
                .limit(queue: "q", limit: 2, executing: 2),
                #"{"kind":"limit","queue":"q","limit":2,"executing":2,"message":"The queue \"q\" executes 2 of at most 2 at "#
                    + #"once; wait for one to end."}"#
            ),
            (
                .limit(queue: "q", limit: 0, executing: 0),
                #"{"kind":"limit","queue":"q","limit":0,"executing":0,"message":"The queue \"q\" has a limit of 0 and starts "#
                    + #"nothing."}"#
            ),
            (
                .rate(queue: "q", rate, until: moment(99), now: moment(9)),
                #"{"kind":"limit","until":"2026-11-21T03:01:39.000678Z","queue":"q","message":"The queue \"q\" starts at most 30 operations "#
                    + #"a minute; the next one can start in 1m 30s."}"#
            ),
            (
                .keptPlace(queue: "q", limit: 2, executing: 1, operation: barrier, worker: "w"),
                #"{"kind":"limit","operation":"12/0","queue":"q","limit":2,"executing":1,"worker":"w","message":"The queue \"q\" "#
                    + #"executes 1 of at most 2 at once; the last place is kept for 12/0, which comes first and waits for the "#
                    + #"worker w."}"#
            ),
            (
                .barrier(barrier, queue: "q", unfinished: 0, first: []),
                #"{"kind":"barrier","operation":"12/0","queue":"q","ahead":0,"operations":[],"message":"The barrier 12/0 of the queue \"q\" "#
                    + #"comes first; this one can start when that is finished or cancelled."}"#
            ),
            (
                .barrier(barrier, queue: "q", unfinished: 1, first: [operation]),
                #"{"kind":"barrier","operation":"12/0","queue":"q","ahead":1,"operations":["12/1"],"message":"The barrier 12/0 of the queue \"q\" "#
                    + #"comes first, and waits for the end of an operation that was added before (12/1); this one can start when "#
                    + #"that is finished or cancelled."}"#
            ),
            (
                .beforeBarrier(queue: "q", unfinished: 3, first: [barrier, operation]),
                #"{"kind":"barrier","queue":"q","ahead":3,"operations":["12/0","12/1"],"message":"It is a barrier, and 3 operations that were added to the "#
                    + #"queue \"q\" before (12/0, 12/1 and 1 more) are not finished; it can start when they are."}"#
            ),
            (
                .beforeBarrier(queue: "q", unfinished: 1, first: [barrier]),
                #"{"kind":"barrier","queue":"q","ahead":1,"operations":["12/0"],"message":"It is a barrier, and an operation that was added to the "#
                    + #"queue \"q\" before (12/0) is not finished; it can start when that is."}"#
            ),
            (
                .besideReruns(queue: "q", count: 1, first: [barrier]),
                #"{"kind":"barrier","queue":"q","ahead":1,"operations":["12/0"],"message":"It is a barrier, and an operation of the "#
                    + #"queue \"q\" (12/0) runs again because its files were lost; it can start when that ends."}"#
            ),
            (
                .besideReruns(queue: "q", count: 3, first: [barrier, operation]),
                #"{"kind":"barrier","queue":"q","ahead":3,"operations":["12/0","12/1"],"message":"It is a barrier, and 3 operations of the "#
                    + #"queue \"q\" (12/0, 12/1 and 1 more) run again because their files were lost; it can start when they have "#
                    + #"ended."}"#
            ),
            (
                .slots(total: 4),
                #"{"kind":"slots","slots":4,"message":"All 4 slots of the workers are taken; wait for one to be free."}"#
            ),
            (
                .slots(total: 1),
                #"{"kind":"slots","slots":1,"message":"The only slot of the workers is taken; wait for one to be free."}"#
            ),
            (
                .sent(worker: "w1", isRecalled: false, isAway: false),
                #"{"kind":"slots","worker":"w1","message":"It was sent to the worker w1, and starts there as soon as a slot is "#
                    + #"free."}"#
            ),
            (
                .sent(worker: "w1", isRecalled: true, isAway: false),
                #"{"kind":"slots","worker":"w1","message":"It was sent to the worker w1, which was asked to return it and has "#
                    + #"not answered."}"#
            ),
            (
                .sent(worker: "w1", isRecalled: true, isAway: true),
                #"{"kind":"slots","worker":"w1","message":"It was sent to the worker w1, which has not come back since the "#
                    + #"coordinator was restarted. It goes to another one once that worker counts as lost."}"#
            ),
            (
                .noWorker(),
                #"{"kind":"noWorker","message":"No worker is connected that could run it."}"#
            ),
            (
                .order(queue: "q", ahead: 3),
                #"{"kind":"order","queue":"q","ahead":3,"message":"3 operations of the queue \"q\" come first, by priority or "#
                    + #"age."}"#
            ),
            (
                .order(queue: "q", ahead: 1),
                #"{"kind":"order","queue":"q","ahead":1,"message":"Another operation of the queue \"q\" comes first, by "#
                    + #"priority or age."}"#
            ),
            (
                .reconciling(until: moment(9), workers: ["a", "b", "c", "d", "e", "f", "g"], now: moment(5)),
                #"{"kind":"delay","until":"2026-11-21T03:00:09.000678Z","worker":"a","message":"The coordinator was restarted "#
                    + #"and waits for a, b, c, d, e and 2 more to say what they are running, at most for another 4.0s."}"#
            ),
        ]
        for (reason, json) in reasons { try expect(reason, writes: json) }
    }

    @Test(
        "FI6 The wait for lost files tells how many they are, how they were lost, and which operation makes them again",
        arguments: [
            (FileLoss(.worker, of: "w2"), "lost with w2"), (FileLoss(.damage, of: "w2"), "damaged at w2"),
            (FileLoss(.absence, of: "w2"), "missing at w2"),
        ]
    )
    func files(loss: FileLoss, phrase: String) {
        let reason = WaitReason.files(of: operation, name: "align", count: 3, loss: loss, isExecuting: true)
        #expect(reason.message == "It waits for 3 files, whose last copy was \(phrase): 12/1 (align) runs again.")
        #expect(reason.kind == .files && reason.operation == "12/1" && reason.worker == "w2")
        let others = WaitReason.files(of: operation, count: 1, others: 2, waitsFor: [.hold], isPlural: true)
        #expect(
            others.message
                == "Each waits for 1 file, of which no worker has a copy: 12/1 is to run again. So do 2 other operations."
        )
        #expect(others.waitsFor?.count == 1)
    }

    @Test("FI4 The wait for a fetch tells the worker, the number of the files, and how much of them is there")
    func fetches() {
        let first = WaitReason.fetching(worker: "w2", count: 3, bytes: 4 << 30, present: 0)
        #expect(first.message == "It is at the worker w2, which fetches 3 files (4G) for it.")
        #expect(first.kind == .files && first.worker == "w2" && first.operation == nil)
        let later = WaitReason.fetching(worker: "w2", count: 1, bytes: 4 << 30, present: 5 << 28)
        #expect(later.message == "It is at the worker w2, which fetches 1 file for it; 1.2G of 4G are there.")
        let several = WaitReason.fetching(worker: "w2", count: 3, bytes: 4 << 30, present: 5 << 28, isPlural: true)
        #expect(
            several.message == "Each is at a worker that fetches files for it; of the first, w2 fetches 3 files."
        )
        let sentences = [1, 7].map { WaitReason.fetches(operations: $0).message }
        #expect(
            sentences == [
                "The workers fetch files for another operation, which is the most at a time; wait for one to start.",
                "The workers fetch files for 7 other operations, which is the most at a time; wait for one to start.",
            ]
        )
    }

    @Test("D9 The wait for room tells the worker, what finds no room there, and what to do", arguments: [0, 1, 7])
    func room(others: Int) {
        let reason = WaitReason.noRoom(worker: "w1", reason: "Attempt 1 left 3G.", others: others)
        let rest = [0: "", 1: " Another worker has no room, either.", 7: " 7 other workers have no room, either."]
        #expect(
            reason.message
                == "The worker w1 has no room for its files, and is tried again periodically: Attempt 1 left 3G."
                + "\(rest[others] ?? "?") \(WaitReason.adviceAboutRoom)"
        )
        #expect(reason.kind == .files && reason.worker == "w1" && reason.operation == nil)
    }

    @Test("FI4 The wait for a worker that may keep large files tells the size, the largest limit and the option")
    func largeFiles() {
        let never = WaitReason.largeFiles(bytes: 5 << 30, limit: 4 << 30, worker: "w1", able: nil)
        #expect(
            never.message
                == "The files that it needs have 5G, more than any connected worker that suits it may keep: the largest limit is 4G at the "
                + "worker w1. Start a worker with a larger one (worker --files-limit)."
        )
        #expect(never.kind == .files && never.worker == "w1")
        let several = WaitReason.largeFiles(bytes: 1000, limit: 999, worker: "w1", able: nil, isPlural: true)
        #expect(several.message.hasPrefix("The files that the first one needs have 1000B, more than"))
        let close = WaitReason.largeFiles(bytes: (4 << 30) + 1, limit: 4 << 30, worker: "w1", able: nil)
        #expect(close.message.contains("4294967297B") && close.message.contains("limit is 4G"), "\(close.message)")
        let busy = WaitReason.largeFiles(bytes: 5 << 30, limit: 4 << 30, worker: "w1", able: "w2")
        #expect(
            busy.message
                == "The files that it needs have 5G, more than the free workers may keep (worker --files-limit, at most 4G at the "
                + "worker w1); the worker w2 may keep them, and has no slot for it now."
        )
        #expect(busy.worker == "w2")
    }

    @Test("The summary of an explanation counts the reasons in one sentence")
    func summary() {
        func message(_ state: OperationState, _ reasons: [WaitReason] = []) -> String {
            ExplainDocument(operation: operation, state: state, waitsFor: reasons).message
        }
        #expect(message(.finished) == "12/1 is finished.")
        #expect(message(.executing) == "12/1 is executing.")
        #expect(message(.ready) == "Nothing keeps 12/1 from running; it is about to start.")
        #expect(message(.ready, [.noWorker()]) == "12/1 is ready and waits for one thing.")
        #expect(
            message(.pending, [.moreDependencies(7), .hold])
                == "12/1 is pending and waits for 8 things."
        )
        #expect(message(.ready, [.noWorker(), .hold]) == "12/1 is ready and waits for 2 things.")
    }
}
