import Foundation
@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonTraces

@Suite("The trace of a job", .timeLimit(.minutes(60)))
struct TraceTests {
    /// An event of a trace.
    struct Event: Decodable {
        struct Arguments: Decodable {
            var operation: String?
            var attempt: Int?
            var queue: String?
            var outcome: String?
            var reason: String?
            var exitStatus: Int?
            var waitedSeconds: Double?
            var critical: Bool?
            var value: Int?
            var name: String?
        }

        var ph: String
        var name: String
        var cat: String?
        var ts: Int64
        var dur: Int64?
        var pid: Int
        var tid: Int
        var id: Int?
        var bp: String?
        var s: String?
        var args: Arguments?

        var end: Int64 { ts + (dur ?? 0) }
    }

    struct Trace: Decodable {
        struct Other: Decodable {
            var job: Int
            var name: String?
            var coordinator: String
            var version: String
            var submittedAt: String
            var attempts: Int
            var shown: Int
        }

        var displayTimeUnit: String
        var otherData: Other
        var traceEvents: [Event]

        /// The attempts, in the order of the document.
        var slices: [Event] { traceEvents.filter { $0.ph == "X" && $0.pid > 0 } }

        func counter(_ name: String) -> [[Int]] {
            traceEvents.filter { $0.ph == "C" && $0.name == name }.map { [Int($0.ts), $0.args?.value ?? -1] }
        }
    }

    /// The trace of pages; parts of it go to a file at each `runLength` bytes.
    private func trace(_ pages: HistoryPage..., runLength: Int = 1 << 20, mostShown: Int = .max) throws -> Trace {
        let directory = FileManager.default.temporaryDirectory.path
        var writer = TraceWriter(sorter: TimeSorter(directory: directory, runLength: runLength), mostShown: mostShown)
        for page in pages { try writer.add(page) }
        var bytes: [UInt8] = []
        var document = try #require(try writer.takeDocument())
        while let piece = try document.next() { bytes += piece }
        return try JSONDecoder().decode(Trace.self, from: Data(bytes))
    }

    /// A finished job: `fetch` was lost once and then succeeded; two parts of an array ran at once after it; `join` failed twice.
    private var finished: HistoryPage {
        var page = HistoryPage.sample(operations: 5, finishedAt: 100)
        page.entries = [
            HistoryEntry(first: 0, name: "fetch"),
            HistoryEntry(
                first: 1,
                count: 2,
                name: "parts",
                queue: "wide",
                numbering: .steps(first: 7, step: 1),
                dependencies: [HistoryDependency(first: 0)]
            ),
            HistoryEntry(first: 3, dependencies: [HistoryDependency(first: 1, count: 2)]),
            HistoryEntry(first: 4, name: "alarm"),
        ]
        var failed = OperationHistory.ran(3, "w1", ready: 60, 90, 100, .failed)
        (failed.attempt, failed.reason, failed.exitStatus) = (2, .exit, 3)
        var fetch = OperationHistory.ran(0, "w1", ready: 20, 25, 30)
        fetch.attempt = 2
        var skipped = OperationHistory(first: 4, state: .finished)
        (skipped.outcome, skipped.reason, skipped.finishedAt) = (.skipped, .notNeeded, .at(100))
        page.operations = [
            fetch, .ran(1, "w1", ready: 30, 31, 50), .ran(2, "w2", ready: 30, 40, 60), failed, skipped,
        ]
        var lost = EarlierAttempt(
            operation: 0,
            attempt: 1,
            worker: "w2",
            startedAt: .at(5),
            endedAt: .at(20),
            reason: .lost
        )
        lost.exitStatus = nil
        var retried = EarlierAttempt(
            operation: 3,
            attempt: 1,
            worker: "w2",
            startedAt: .at(60),
            endedAt: .at(70),
            reason: .exit
        )
        retried.exitStatus = 3
        page.attempts = [lost, retried]
        page.workers = [HistoryWorker(name: "w1", slots: 1), HistoryWorker(name: "w2", slots: 1)]
        page.criticalPath = [0, 2, 3]
        return page
    }

    @Test("Fetches of files are pairs of events beside the slots of their workers", arguments: [1 << 20, 64])
    func fetches(_ runLength: Int) throws {
        var page = finished
        let plain = try trace(page)
        let fetches: [(operation: UInt32, attempt: UInt32, sent: Int64, there: Int64)] = [
            (0, 1, 1, 4), (1, 1, 30, 31), (2, 1, 31, 39), (4, 1, 0, 1),
        ]
        page.fetches = fetches.map { operation, attempt, sent, there in
            let fetch = FetchRecord(sentAt: .at(sent), arrivedAt: .at(there), files: 3, bytes: 70)
            return HistoryFetch(operation: operation, attempt: attempt, fetch: fetch)
        }
        let shown = try trace(page, runLength: runLength)
        let pairs = shown.traceEvents.filter { $0.name == "fetch files" }
        // What did not run has fetched nothing.
        #expect(pairs.count == 6 && pairs.allSatisfy { $0.cat == "fetch" && $0.pid > 0 })
        for (begin, end) in zip(pairs.filter { $0.ph == "b" }, pairs.filter { $0.ph == "e" }) {
            #expect(begin.id == end.id && begin.pid == end.pid && begin.ts < end.ts)
            let index = fetches.firstIndex { begin.args?.operation == "12/\($0.operation)" }
            let fetch = fetches[try #require(index)]
            #expect(begin.ts == fetch.sent && end.ts == fetch.there && begin.args?.attempt == Int(fetch.attempt))
            let slice = shown.slices.first { slice in
                slice.args?.operation == begin.args?.operation && slice.args?.attempt == begin.args?.attempt
            }
            #expect(slice?.pid == begin.pid)
        }
        #expect(Set(pairs.compactMap(\.id)).count == 3)
        // All else is as without fetches.
        #expect(shown.slices.map(\.ts) == plain.slices.map(\.ts))
        #expect(shown.slices.map(\.tid) == plain.slices.map(\.tid))
        for name in ["ready", "executing"] { #expect(shown.counter(name) == plain.counter(name)) }
    }

    @Test("Each attempt is a slice of its worker, with its end and its arguments", arguments: [1 << 20, 1])
    func slices(_ runLength: Int) throws {
        let trace = try trace(finished, runLength: runLength)
        #expect(trace.displayTimeUnit == "ms" && trace.otherData.job == 12 && trace.otherData.name == "sweep")
        #expect(trace.otherData.attempts == 6 && trace.otherData.shown == 6)
        #expect(trace.otherData.submittedAt == "1970-01-01T00:00:00.001000Z")
        let slices = trace.slices
        #expect(slices.map(\.name) == ["fetch", "fetch", "parts.7", "parts.8", "12/3", "12/3"])
        #expect(slices.map(\.cat) == ["lost", "succeeded", "succeeded", "succeeded", "failed", "failed"])
        #expect(slices.map(\.ts) == [5, 25, 31, 40, 60, 90] && slices.map(\.dur) == [15, 5, 19, 20, 10, 10])
        #expect(slices.map { $0.args?.attempt } == [1, 2, 1, 1, 1, 2])
        #expect(slices.map { $0.args?.outcome } == [nil, "succeeded", "succeeded", "succeeded", nil, "failed"])
        #expect(slices.map { $0.args?.reason } == ["lost", nil, nil, nil, "exit", "exit"])
        #expect(slices.map { $0.args?.exitStatus } == [nil, nil, nil, nil, 3, 3])
        #expect(slices.map { $0.args?.critical } == [false, true, false, true, false, true])
        #expect(slices.map { $0.args?.queue } == ["default", "default", "wide", "wide", "default", "default"])
        #expect(slices[2].args?.waitedSeconds == 0.000001 && slices[0].args?.waitedSeconds == nil)
        #expect(slices.allSatisfy { $0.tid == 1 })
        let whole = try #require(trace.traceEvents.first)
        #expect(
            (whole.pid, whole.ph, whole.name, whole.ts, whole.dur, whole.cat) == (0, "X", "sweep", 0, 100, "failed")
        )
    }

    @Test("Workers are processes and slots are threads, with names and an order")
    func names() throws {
        let trace = try trace(finished)
        let processes = Dictionary(
            trace.traceEvents.filter { $0.name == "process_name" }.map { ($0.pid, $0.args?.name) }
        ) { first, _ in first }
        #expect(processes[0] == "job 12" && Set(processes.values) == ["job 12", "worker w1", "worker w2"])
        for slice in trace.slices {
            #expect(
                trace.traceEvents.contains {
                    $0.name == "thread_name" && $0.pid == slice.pid && $0.args?.name == "slot 1"
                }
            )
        }
        #expect(processes[trace.slices[0].pid] == "worker w2" && processes[trace.slices[1].pid] == "worker w1")
        #expect(trace.traceEvents.count { $0.name == "process_sort_index" } == 3)
    }

    @Test("An attempt that ended with its worker's stop is neither lost nor failed")
    func stopped() throws {
        var page = finished
        page.attempts[0].wasStopped = true
        let trace = try trace(page)
        #expect(trace.slices.map(\.cat).prefix(2) == ["stopped", "succeeded"])
        #expect(trace.slices[0].args?.reason == "lost")
        #expect(trace.traceEvents.filter { $0.ph == "i" }.map(\.name) == ["retry", "retry"])
        #expect(
            AttemptOutcome.allCases.map(\.rawValue)
                == ["executing", "succeeded", "failed", "cancelled", "lost", "stopped"]
        )
    }

    @Test("Losses and retries are instants, and the counters show each change", arguments: [1 << 20, 1])
    func instants(_ runLength: Int) throws {
        let trace = try trace(finished, runLength: runLength)
        let instants = trace.traceEvents.filter { $0.ph == "i" }
        #expect(instants.map(\.name) == ["lost", "retry"] && instants.map(\.ts) == [20, 70])
        #expect(instants.map { $0.args?.operation } == ["12/0", "12/3"] && instants.allSatisfy { $0.s == "t" })
        #expect(
            trace.counter("executing")
                == [
                    [0, 0], [5, 1], [20, 0], [25, 1], [30, 0], [31, 1], [40, 2], [50, 1], [70, 0], [90, 1], [100, 0],
                ]
        )
        #expect(
            trace.counter("ready") == [[0, 0], [20, 1], [25, 0], [30, 2], [31, 1], [40, 0], [60, 1], [90, 0]]
        )
    }

    @Test("Dependencies are flows from the end of the parent to the first start of the child")
    func flows() throws {
        let trace = try trace(finished)
        let begins = trace.traceEvents.filter { $0.ph == "s" }
        let ends = trace.traceEvents.filter { $0.ph == "f" }
        #expect(begins.map(\.id) == ends.map(\.id) && ends.allSatisfy { $0.bp == "e" })
        #expect(Set(begins.map(\.id)).count == begins.count)
        // fetch to both parts, and both parts to the first attempt of join.
        #expect(begins.map(\.ts) == [29, 29, 49, 59] && ends.map(\.ts) == [31, 40, 60, 60])
        for (begin, end) in zip(begins, ends) {
            let from = trace.slices.filter {
                $0.pid == begin.pid && $0.tid == begin.tid && ($0.ts...$0.end).contains(begin.ts)
            }
            let to = trace.slices.filter { $0.pid == end.pid && $0.tid == end.tid && $0.ts == end.ts }
            #expect(!from.isEmpty && to.count == 1)
        }
    }

    @Test("With too many dependencies, only those of the critical path are flows")
    func manyFlows() throws {
        var page = HistoryPage.sample(operations: 300, finishedAt: 1_000)
        page.entries = [
            HistoryEntry(first: 0, count: 150, numbering: .steps(first: 0, step: 1)),
            HistoryEntry(
                first: 150,
                count: 150,
                numbering: .steps(first: 0, step: 1),
                dependencies: [HistoryDependency(first: 0, count: 150)]
            ),
        ]
        page.operations = (0..<300).map { .ran($0, "w", ready: 0, Int64($0), Int64($0) + 1) }
        page.criticalPath = [149, 299]
        let trace = try trace(page)
        #expect(trace.traceEvents.filter { $0.ph == "s" || $0.ph == "f" }.map(\.ts) == [149, 299])
    }

    @Test("Of a running job, attempts last until the moment of the first page, and later moments are left out")
    func running() throws {
        var first = HistoryPage.sample(operations: 5, moment: 100)
        first.entries = [HistoryEntry(first: 0, count: 5, name: "a", numbering: .steps(first: 0, step: 1))]
        var executing = OperationHistory.ran(0, "w", ready: 0, 40, 0)
        (executing.state, executing.outcome, executing.finishedAt) = (.executing, nil, nil)
        var ready = OperationHistory(first: 1, state: .ready)
        ready.readyAt = .at(10)
        first.operations = [executing, ready]
        first.next = 2
        var second = HistoryPage.sample(operations: 5, moment: 200, from: 2)
        second.entries = first.entries
        // Operation 2 ended after the moment of the first page, operation 3 started after it, and operation 4 became ready after it.
        second.operations = [
            .ran(2, "w", ready: 20, 50, 150), .ran(3, "w", ready: 30, 120, 160), .ran(4, "w", ready: 110, 130, 140),
        ]
        let trace = try trace(first, second)
        #expect(trace.slices.map(\.cat) == ["executing", "executing"] && trace.slices.map(\.end) == [100, 100])
        #expect(trace.slices.map { $0.args?.outcome } == [nil, nil])
        #expect(trace.counter("executing").last == [50, 2])
        #expect(trace.counter("ready").last == [50, 2])
        #expect(trace.traceEvents.first?.dur == 100 && trace.traceEvents.first?.cat == "pending")
    }

    @Test("A job that never started has no attempts, and shows how many operations are ready")
    func notStarted() throws {
        var page = HistoryPage.sample(operations: 1_000, moment: 50)
        page.entries = [HistoryEntry(first: 0, count: 1_000, numbering: .steps(first: 0, step: 1))]
        var ready = OperationHistory(first: 0, count: 1_000, state: .ready)
        ready.readyAt = .at(1)
        page.operations = [ready]
        let trace = try trace(page)
        #expect(trace.slices.isEmpty && trace.otherData.attempts == 0)
        #expect(trace.counter("ready") == [[0, 0], [1, 1_000]])
    }

    @Test(
        "An attempt that was lost before its start is an instant of its worker, and a cancelled retry is no attempt more"
    )
    func withoutStart() throws {
        var page = HistoryPage.sample(operations: 2, finishedAt: 100)
        page.entries = [HistoryEntry(first: 0), HistoryEntry(first: 1)]
        var cancelled = OperationHistory.ran(0, "w", ready: 1, 2, 90, .cancelled)
        cancelled.reason = .cancelled
        page.operations = [cancelled, .ran(1, "w", ready: 40, 50, 60)]
        page.operations[1].attempt = 2
        page.attempts = [
            EarlierAttempt(operation: 0, attempt: 1, worker: "w", startedAt: .at(2), endedAt: .at(10), reason: .exit),
            EarlierAttempt(operation: 1, attempt: 1, worker: nil, startedAt: nil, endedAt: .at(40), reason: .lost),
        ]
        let trace = try trace(page)
        #expect(trace.slices.map(\.name) == ["12/0", "12/1"] && trace.slices.map(\.end) == [10, 60])
        let lost = trace.traceEvents.filter { $0.ph == "i" && $0.s == "p" }
        #expect(lost.map(\.name) == ["lost"] && lost.map(\.ts) == [40])
        #expect(trace.traceEvents.contains { $0.name == "process_name" && $0.args?.name == "unknown worker" })
        #expect(trace.counter("ready") == [[0, 0], [40, 1], [50, 0]])
    }

    @Test("A limit shows the first attempts, and says how many there are")
    func limit() throws {
        let trace = try trace(finished, mostShown: 2)
        #expect(trace.slices.count == 2 && trace.otherData.attempts == 6 && trace.otherData.shown == 2)
    }

    @Test("Names are texts of JSON, whatever they contain")
    func hostile() throws {
        var page = HistoryPage.sample(operations: 1, finishedAt: 10)
        page.name = #"a"},{"\"#
        page.entries = [HistoryEntry(first: 0, name: #"x","ph":"\"#)]
        page.operations = [.ran(0, #"w"\"#, ready: 0, 1, 2)]
        let trace = try trace(page)
        #expect(trace.slices.map(\.name) == [#"x","ph":"\"#] && trace.traceEvents.first?.name == #"a"},{"\"#)
        #expect(trace.traceEvents.contains { $0.args?.name == #"worker w"\"# })
    }
}

extension Timestamp {
    /// The submission of the sample jobs.
    private static let submission: Int64 = 1_000

    /// A moment some microseconds after the submission.
    static func at(_ microseconds: Int64) -> Timestamp { Timestamp(rawValue: submission + microseconds) }
}

extension HistoryPage {
    /// A page of job 12 without operations, with times in microseconds after the submission.
    static func sample(
        operations: Int,
        finishedAt: Int64? = nil,
        moment: Int64 = 1_000_000,
        from: UInt32 = 0
    ) -> HistoryPage {
        var counts = JobCounts()
        if finishedAt == nil { counts.pending = operations } else { counts.failed = operations }
        return HistoryPage(
            job: JobNumber(12),
            name: "sweep",
            coordinator: "tcp://127.0.0.1:7461",
            version: "1",
            submittedAt: .at(0),
            finishedAt: finishedAt.map { .at($0) },
            moment: .at(moment),
            counts: counts,
            from: from
        )
    }
}

extension OperationHistory {
    /// A finished operation that ran once, with times in microseconds after the submission.
    static func ran(
        _ index: UInt32,
        _ worker: String,
        ready: Int64,
        _ start: Int64,
        _ end: Int64,
        _ outcome: Outcome = .succeeded
    ) -> OperationHistory {
        var operation = OperationHistory(first: index, state: .finished)
        operation.outcome = outcome
        operation.attempt = 1
        operation.worker = worker
        (operation.readyAt, operation.startedAt, operation.finishedAt) = (.at(ready), .at(start), .at(end))
        return operation
    }
}
