@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonTelemetry

@Suite("Spans of a job", .timeLimit(.minutes(60)))
struct JobSpansTests {
    private let trace = JobTrace(of: JobNumber(12), in: Incarnation(rawValue: 7), parent: nil)

    private func moment(_ seconds: Int64) -> Timestamp {
        Timestamp(rawValue: 1_700_000_000_000_000 + seconds * 1_000_000)
    }

    private func page(
        entries: [HistoryEntry],
        operations: [OperationHistory],
        attempts: [EarlierAttempt] = [],
        finishedAt: Timestamp? = nil,
        from: UInt32 = 0,
        name: String? = "study"
    ) -> HistoryPage {
        var counts = JobCounts()
        for operation in operations { operation.add(to: &counts, number: Int(operation.count)) }
        var page = HistoryPage(
            job: JobNumber(12),
            name: name,
            coordinator: "tcp://h:1",
            version: "1",
            submittedAt: moment(0),
            finishedAt: finishedAt,
            moment: moment(100),
            counts: counts,
            from: from
        )
        (page.entries, page.operations, page.attempts) = (entries, operations, attempts)
        return page
    }

    private func finished(
        _ index: UInt32,
        _ outcome: Outcome = .succeeded,
        _ reason: Reason.Code? = nil,
        attempt: UInt32 = 1,
        count: UInt32 = 1
    ) -> OperationHistory {
        var operation = OperationHistory(first: index, count: count, state: .finished)
        operation.outcome = outcome
        operation.reason = reason
        operation.attempt = attempt
        operation.worker = attempt > 0 ? "w1" : nil
        operation.startedAt = attempt > 0 ? moment(Int64(index) * 10 + 5) : nil
        operation.finishedAt = moment(Int64(index) * 10 + 8)
        return operation
    }

    private func value(_ key: String, of span: Span) -> SpanAttribute.Value? {
        span.attributes.first { $0.key == key }?.value
    }

    @Test("Each attempt that has ended has a span, under the id that the attempt knows itself by")
    func attempts() throws {
        var running = OperationHistory(first: 1, state: .executing)
        (running.attempt, running.startedAt) = (2, moment(50))
        var failed = EarlierAttempt(
            operation: 0,
            attempt: 1,
            worker: "w1",
            startedAt: moment(1),
            endedAt: moment(2),
            reason: .exit
        )
        failed.exitStatus = 3
        var lost = failed
        (lost.operation, lost.startedAt, lost.reason, lost.worker, lost.exitStatus) = (1, nil, .lost, "w2", nil)
        let page = page(
            entries: [HistoryEntry(first: 0, name: "fetch"), HistoryEntry(first: 1, queue: "slow")],
            operations: [finished(0, attempt: 2), running],
            attempts: [failed, lost]
        )
        let spans = JobSpans(of: page, wanted: .all, trace: trace).attempts(lastAttempts: [:])
        #expect(spans.map(\.context.span) == [(1, 0), (1, 1), (2, 0)].map { trace.span(ofAttempt: $0.0, of: $0.1) })
        #expect(spans.allSatisfy { $0.kind == .consumer && $0.parent == trace.root.span })
        #expect(spans.map(\.name) == ["fetch", "operation", "fetch"])
        #expect(spans.map(\.startedAt) == [moment(1), moment(2), moment(5)])
        #expect(spans.map(\.endedAt) == [moment(2), moment(2), moment(8)])
        #expect(spans.map(\.failure) == ["It exited with status 3.", "It was lost with worker w2.", nil])
        #expect(spans.map { value("error.type", of: $0) } == [.text("exit"), .text("lost"), nil])
        #expect(spans.map { value("baton.attempt", of: $0) } == [.number(1), .number(1), .number(2)])
        #expect(spans.map { value("baton.queue", of: $0) } == [.text("default"), .text("slow"), .text("default")])
        #expect(
            spans.map { value("cicd.pipeline.task.run.result", of: $0) }
                == [.text("failure"), .text("failure"), .text("success")]
        )
        #expect(value("cicd.pipeline.task.name", of: spans[1]) == .text("12/1"))
        #expect(value("cicd.worker.name", of: spans[1]) == .text("w2"))
    }

    @Test("The fetch of an attempt is a child of its span, and the span tells what the attempt left")
    func files() throws {
        let failed = EarlierAttempt(
            operation: 1,
            attempt: 1,
            worker: "w2",
            startedAt: moment(11),
            endedAt: moment(12),
            reason: .exit
        )
        var page = page(
            entries: [HistoryEntry(first: 0, count: 3, name: "map", numbering: .steps(first: 0, step: 1))],
            operations: [finished(0), finished(1, attempt: 2), finished(2)],
            attempts: [failed]
        )
        let plain = JobSpans(of: page, wanted: .all, trace: trace).attempts(lastAttempts: [:])
        #expect(plain.count == 4 && plain.allSatisfy { value("baton.files.count", of: $0) == nil })
        let known: [(operation: UInt32, attempt: UInt32)] = [(0, 1), (1, 1), (1, 2), (1, 7)]
        page.fetches = known.map { operation, attempt in
            let fetch = FetchRecord(
                sentAt: moment(Int64(attempt)),
                arrivedAt: moment(Int64(attempt) + 1),
                files: 3 + attempt,
                bytes: 5_000_000_000
            )
            return HistoryFetch(operation: operation, attempt: attempt, fetch: fetch)
        }
        page.files = [
            HistoryFiles(operation: 0, attempt: 1, count: 2, bytes: 70),
            HistoryFiles(operation: 1, attempt: 2, count: 1, bytes: 0),
        ]
        let spans = JobSpans(of: page, wanted: .all, trace: trace).attempts(lastAttempts: [:])
        let fetches = spans.filter { $0.name == "fetch files" }
        #expect(spans.count == 7 && fetches.count == 3)
        #expect(Set(spans.map(\.context.span)).count == 7 && spans.allSatisfy { $0.context.trace == trace.root.trace })
        for fetch in fetches {
            let parent = try #require(spans.first { $0.context.span == fetch.parent })
            let attempt = try #require(value("baton.attempt", of: fetch))
            #expect(parent.kind == .consumer && fetch.kind == .internal && fetch.failure == nil)
            #expect(value("baton.attempt", of: parent) == attempt)
            for key in ["cicd.worker.name", "cicd.pipeline.task.run.id"] {
                #expect(value(key, of: fetch) == value(key, of: parent))
            }
            #expect(value("baton.files.bytes", of: fetch) == .number(5_000_000_000))
            let isFirst = attempt == .number(1)
            #expect(value("baton.files.count", of: fetch) == .number(isFirst ? 4 : 5))
            #expect(fetch.startedAt == moment(isFirst ? 1 : 2) && fetch.endedAt == moment(isFirst ? 2 : 3))
        }
        let left = spans.filter { $0.kind == .consumer }.map { value("baton.files.bytes", of: $0) }
        #expect(left.compactMap { $0 } == [.number(70), .number(0)])
        // A part of the operations has the fetches of these alone.
        let part = JobSpans(of: page, wanted: IndexRanges([1..<2]), trace: trace).attempts(lastAttempts: [:])
        #expect(part.filter { $0.kind == .internal }.count == 2)
    }

    @Test(
        "The result says how the last attempt ended, and only failures are errors",
        arguments: [
            (Outcome.succeeded, nil, 1, "success", false), (.failed, .exit, 1, "failure", true),
            (.failed, .timeout, 1, "timeout", true), (.failed, .lost, 1, "failure", true),
            (.cancelled, .cancelled, 1, "cancellation", false), (.cancelled, .cancelled, 0, "cancellation", false),
            (.skipped, .dependency, 0, "skip", false), (.failed, .launch, 0, "failure", true),
        ] as [(Outcome, Reason.Code?, UInt32, String, Bool)]
    )
    func results(outcome: Outcome, reason: Reason.Code?, attempt: UInt32, result: String, isError: Bool) throws {
        let page = page(entries: [HistoryEntry(first: 0)], operations: [finished(0, outcome, reason, attempt: attempt)])
        let spans = JobSpans(of: page, wanted: .all, trace: trace).attempts(lastAttempts: [:])
        let span = try #require(spans.first)
        #expect(spans.count == 1 && value("cicd.pipeline.task.run.result", of: span) == .text(result))
        #expect((span.failure != nil) == isError && (value("error.type", of: span) != nil) == isError)
        #expect(span.context.span == trace.span(ofAttempt: attempt, of: 0))
        #expect((value("cicd.worker.name", of: span) != nil) == (attempt > 0))
        #expect((span.startedAt == span.endedAt) == (attempt == 0))
    }

    @Test("An operation that was cancelled while it waited for its next attempt has the spans of its attempts alone")
    func cancelledBetween() {
        let failed = EarlierAttempt(
            operation: 0,
            attempt: 1,
            worker: "w1",
            startedAt: moment(1),
            endedAt: moment(2),
            reason: .exit
        )
        let page = page(
            entries: [HistoryEntry(first: 0)],
            operations: [finished(0, .cancelled, .cancelled)],
            attempts: [failed]
        )
        let spans = JobSpans(of: page, wanted: .all, trace: trace).attempts(lastAttempts: [:])
        #expect(spans.count == 1 && spans.first?.failure != nil)
    }

    @Test("Spans link to the last attempts of the dependencies, own ones of an element included, up to a bound")
    func links() {
        var array = HistoryEntry(first: 2, count: 3, name: "tile", numbering: .steps(first: 1, step: 1))
        array.dependencies = [HistoryDependency(first: 0, count: 2)]
        array.changes = [HistoryEntry.Change(operation: 3, dependencies: [HistoryDependency(first: 1)])]
        let end = HistoryEntry(first: 5, dependencies: [HistoryDependency(first: 1000, count: 500)])
        let page = page(
            entries: [HistoryEntry(first: 0), HistoryEntry(first: 1), array, end],
            operations: [
                finished(0, attempt: 3), finished(1, .skipped, .dependency, attempt: 0), finished(2), finished(3),
                finished(4), finished(5),
            ]
        )
        let spans = JobSpans(of: page, wanted: IndexRanges([2..<4, 5..<6]), trace: trace)
        #expect(spans.linked == Set([0, 1] + (1000..<1128)))
        var last = spans.lastAttempts
        #expect(last == [0: 3, 1: 0, 2: 1, 3: 1, 4: 1, 5: 1])
        let waiting = self.page(entries: [HistoryEntry(first: 0)], operations: [OperationHistory(first: 0)])
        #expect(JobSpans(of: waiting, wanted: .all, trace: trace).lastAttempts.isEmpty)
        for index in UInt32(1000)..<1128 { last[index] = 2 }
        let made = spans.attempts(lastAttempts: last)
        let (zero, one) = (trace.span(ofAttempt: 3, of: 0), trace.span(ofAttempt: 0, of: 1))
        #expect(
            made.prefix(2).map(\.links) == [[zero, one], [one]] && made.prefix(2).allSatisfy { $0.droppedLinks == 0 }
        )
        #expect(made.count == 3 && made.last?.links.count == Span.mostLinks && made.last?.droppedLinks == 500 - 128)
        #expect(made.last?.links.last == trace.span(ofAttempt: 2, of: 1127))
        // A dependency whose last attempt is not known is counted.
        #expect(spans.attempts(lastAttempts: [0: 3]).first.map { [$0.links.count, $0.droppedLinks] } == [1, 1])
    }

    @Test("Elements without a wanted span are linked to nothing, and dependencies beyond the last index are none")
    func unwantedLinks() {
        var array = HistoryEntry(first: 1, count: 4, numbering: .steps(first: 0, step: 1))
        array.dependencies = [HistoryDependency(first: .max - 2, count: 9)]
        array.changes = [HistoryEntry.Change(operation: 2, dependencies: [HistoryDependency(first: 0)])]
        let page = page(
            entries: [HistoryEntry(first: 0), array],
            operations: [finished(0), finished(1, .skipped, .dependency, attempt: 0, count: 4)]
        )
        #expect(
            JobSpans(of: page, wanted: IndexRanges([3..<5]), trace: trace).linked == [UInt32.max - 2, UInt32.max - 1]
        )
    }

    @Test("An earlier attempt that ran too long timed out, and an attempt without a start has no length")
    func ends() {
        var unstarted = finished(0, .failed, .launch, attempt: 2)
        unstarted.startedAt = nil
        let page = page(
            entries: [HistoryEntry(first: 0)],
            operations: [unstarted],
            attempts: [
                EarlierAttempt(
                    operation: 0,
                    attempt: 1,
                    worker: "w1",
                    startedAt: moment(1),
                    endedAt: moment(2),
                    reason: .timeout
                )
            ]
        )
        let spans = JobSpans(of: page, wanted: .all, trace: trace).attempts(lastAttempts: [:])
        #expect(spans.map { value("cicd.pipeline.task.run.result", of: $0) } == [.text("timeout"), .text("failure")])
        #expect(spans.last.map { [$0.startedAt, $0.endedAt] } == [moment(8), moment(8)])
    }

    @Test("Each kind of failure has a sentence, and failures without a reason are failures")
    func failures() {
        let sentences: [(Reason.Code?, String)] = [
            (.exit, "It exited with status 3."), (.signal, "Signal 9 ended it."),
            (.timeout, "It ran longer than its timeout."), (.launch, "It could not be started."),
            (.result, "Its result could not be used."), (.error, "It threw an error."),
            (.memory, "It used more memory than it asked for."), (.lost, "It was lost with worker w1."),
            (nil, "It failed."),
        ]
        for (reason, sentence) in sentences {
            var operation = finished(0, .failed, reason)
            (operation.exitStatus, operation.signal) = (3, 9)
            let page = page(entries: [HistoryEntry(first: 0)], operations: [operation])
            let span = JobSpans(of: page, wanted: .all, trace: trace).attempts(lastAttempts: [:]).first
            #expect(span?.failure == sentence)
            #expect(span.flatMap { value("error.type", of: $0) } == .text(reason?.rawValue ?? "failed"))
        }
        #expect(SpanResult(nil) == .success && SpanResult(AttemptOutcome.stopped) == .cancellation)
    }

    @Test("The dependencies of an array that begins before the page come from elsewhere, and only if they are needed")
    func earlierEntry() {
        let array = HistoryEntry(first: 1, count: 10, numbering: .steps(first: 0, step: 1))
        let page = page(entries: [array], operations: [finished(7), finished(8)], from: 7)
        var spans = JobSpans(of: page, wanted: IndexRanges([8..<9]), trace: trace)
        #expect(spans.earlierEntry == 1 && spans.linked.isEmpty)
        spans.noteDependencies(of: 1, [HistoryDependency(first: 0)])
        #expect(spans.linked == [0])
        #expect(spans.attempts(lastAttempts: [0: 1]).map(\.links) == [[trace.span(ofAttempt: 1, of: 0)]])
        #expect(JobSpans(of: page, wanted: IndexRanges([1..<3]), trace: trace).earlierEntry == nil)
        let whole = self.page(entries: [array], operations: [finished(1), finished(2)], from: 1)
        #expect(JobSpans(of: whole, wanted: .all, trace: trace).earlierEntry == nil)
    }

    @Test("Operations that never started have a span each")
    func neverStarted() {
        let array = HistoryEntry(first: 0, count: 9, name: "tile", numbering: .steps(first: 1, step: 2))
        let page = page(
            entries: [array],
            operations: [finished(0, .cancelled, .cancelled, attempt: 0, count: 9)]
        )
        let spans = JobSpans(of: page, wanted: IndexRanges([2..<5]), trace: trace).attempts(lastAttempts: [:])
        #expect(spans.map { value("cicd.pipeline.task.run.id", of: $0) } == ["12/2", "12/3", "12/4"].map { .text($0) })
        #expect(spans.map { value("cicd.pipeline.task.name", of: $0) } == [5, 7, 9].map { .text("tile.\($0)") })
        #expect(Set(spans.map(\.context.span)).count == 3 && Set(spans.map(\.name)) == ["tile"])
    }

    @Test("A finished job has a root span, in the trace of its parent if it has one")
    func root() throws {
        let operations = [finished(0), finished(1, .failed, .exit)]
        let entries = [HistoryEntry(first: 0, count: 2, numbering: .steps(first: 0, step: 1))]
        let unfinished = page(entries: entries, operations: operations)
        #expect(JobSpans(of: unfinished, wanted: .all, trace: trace).root == nil)
        let done = page(entries: entries, operations: operations, finishedAt: moment(90))
        let root = try #require(JobSpans(of: done, wanted: .all, trace: trace).root)
        #expect(root.context == trace.root && root.parent == nil && root.name == "study" && root.kind == .server)
        #expect(root.startedAt == moment(0) && root.endedAt == moment(90))
        #expect(
            root.failure == "1 of 2 operations failed." && value("cicd.pipeline.result", of: root) == .text("failure")
        )
        #expect(value("error.type", of: root) == .text("failed"))
        #expect(value("cicd.pipeline.name", of: root) == .text("study"))
        #expect(value("cicd.pipeline.run.id", of: root) == .text("12"))

        let parent = try #require(TraceContext("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"))
        let inner = JobTrace(of: JobNumber(12), in: Incarnation(rawValue: 7), parent: parent)
        let good = page(entries: entries, operations: [finished(0), finished(1)], finishedAt: moment(90), name: nil)
        let child = try #require(JobSpans(of: good, wanted: .all, trace: inner).root)
        #expect(child.parent == parent.span && child.context.trace == parent.trace && child.name == "job")
        #expect(child.failure == nil && value("cicd.pipeline.result", of: child) == .text("success"))
    }

    @Test("Spans are written as the JSON of OTLP")
    func json() {
        let context = TraceContext("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
        guard let context, let other = SpanID(rawValue: 10) else { return #expect(Bool(false)) }
        var span = Span(
            context: context,
            parent: other,
            name: "a\"b",
            kind: .consumer,
            startedAt: Timestamp(rawValue: 1_700_000_000_000_001),
            endedAt: Timestamp(rawValue: 0),
            attributes: [SpanAttribute("k", "v"), SpanAttribute("n", UInt64.max)]
        )
        (span.links, span.droppedLinks, span.failure) = ([other], 2, "No.")
        let request = SpanResource(version: "1.0", coordinator: "tcp://h:1").request(with: [span])
        let start = "1700000000000001000"
        #expect(
            String(decoding: request, as: UTF8.self)
                == #"{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"baton"}},"#
                + #"{"key":"service.version","value":{"stringValue":"1.0"}},"#
                + #"{"key":"service.instance.id","value":{"stringValue":"tcp://h:1"}}]},"#
                + #""scopeSpans":[{"scope":{"name":"baton","version":"1.0"},"spans":[{"#
                + #""traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331","#
                + #""parentSpanId":"000000000000000a","name":"a\"b","kind":5,"#
                + #""startTimeUnixNano":"\#(start)","endTimeUnixNano":"\#(start)","#
                + #""attributes":[{"key":"k","value":{"stringValue":"v"}},{"key":"n","value":{"intValue":"9223372036854775807"}}],"#
                + #""links":[{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"000000000000000a"}],"#
                + #""droppedLinksCount":2,"status":{"code":2,"message":"No."}}]}]}]}"#
        )
    }

    @Test("What a span does not have is not written, and times that no span can have are the nearest ones")
    func plainJSON() {
        let span = Span(
            context: trace.root,
            name: "a",
            kind: .server,
            startedAt: Timestamp(rawValue: -5),
            endedAt: Timestamp(rawValue: .max),
            attributes: []
        )
        let request = SpanResource(version: "1.0", coordinator: "tcp://h:1").request(with: [span])
        let expected =
            #""name":"a","kind":2,"startTimeUnixNano":"0","endTimeUnixNano":"18446744073709551615","attributes":[]}]}]}]}"#
        #expect(String(decoding: request, as: UTF8.self).hasSuffix(expected))
    }
}
