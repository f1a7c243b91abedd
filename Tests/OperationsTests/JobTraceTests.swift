@_spi(Baton) import BatonOperations
import Testing

@Suite("The traces of jobs", .timeLimit(.minutes(60)))
struct JobTraceTests {
    private static let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    private let record = Incarnation(rawValue: 0x2F0F_3F45_982D_4172)

    @Test("A valid traceparent is read, whatever its flags, and one of a later version without its further parts")
    func valid() throws {
        let context = try #require(TraceContext(Self.parent))
        #expect(context.trace.description == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(context.span.description == "00f067aa0ba902b7" && context.description == Self.parent)
        #expect(TraceContext("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00") == context)
        #expect(TraceContext("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-ff") == context)
        #expect(TraceContext("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01") == context)
        #expect(TraceContext("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-comes") == context)
        for halves in ["0000000000000000a3ce929d0e0e4736", "4bf92f3577b34da60000000000000000"] {
            #expect(TraceContext("00-\(halves)-00f067aa0ba902b7-01")?.trace.description == halves)
        }
    }

    @Test(
        "An invalid traceparent is none",
        arguments: [
            "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0x",
            "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01",
            "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7_01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
            "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.more",
            " 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "é0-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        ]
    )
    func invalid(text: String) {
        #expect(TraceContext(text) == nil)
    }

    @Test("The identities of a job's spans are the same for ever")
    func golden() {
        let trace = JobTrace(of: JobNumber(1), in: record, parent: nil)
        #expect(trace.root.trace.description == "f3f01b9a97b29d3f8c4665f8913889e1")
        #expect(
            trace.context(ofAttempt: 1, of: 0).description
                == "00-f3f01b9a97b29d3f8c4665f8913889e1-49b77f0868ff869e-01"
        )
        #expect(trace.context(ofAttempt: 3, of: 5).span.description == "3509fb2fe12b96a7")
        #expect(JobTrace(root: trace.root, parent: nil).span(ofAttempt: 1, of: 0) == trace.span(ofAttempt: 1, of: 0))
    }

    @Test("Records, jobs, operations and attempts have spans of their own")
    func distinct() {
        var spans: Set<SpanID> = []
        var count = 0
        for record in [record, Incarnation(rawValue: 1)] {
            for job in [UInt32(1), 2, 3, .max] {
                let trace = JobTrace(of: JobNumber(job), in: record, parent: nil)
                spans.insert(trace.root.span)
                count += 1
                for operation in [UInt32(0), 1, 2, 100, .max] {
                    for attempt in [UInt32(0), 1, 2, 20] {
                        spans.insert(trace.span(ofAttempt: attempt, of: operation))
                        count += 1
                    }
                }
            }
        }
        #expect(spans.count == count)
    }

    @Test("A job with a parent is in the trace of the parent, with the spans that it has without one")
    func parent() throws {
        let parent = try #require(TraceContext(Self.parent))
        let trace = JobTrace(of: JobNumber(7), in: record, parent: parent)
        let alone = JobTrace(of: JobNumber(7), in: record, parent: nil)
        #expect(trace.root.trace == parent.trace && trace.parent == parent && alone.root.trace != parent.trace)
        #expect(trace.root.span == alone.root.span && trace.root.span != parent.span)
        #expect(trace.span(ofAttempt: 2, of: 3) == alone.span(ofAttempt: 2, of: 3))
    }

    @Test("A job takes a parent that it does not have, that is valid, and for which it has room")
    func taking() {
        var settings = JobSettings()
        for text in [nil, "nonsense"] { settings.takeTraceParent(text) }
        #expect(settings.isEmpty && settings.traceParent == nil)
        settings.takeTraceParent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00")
        #expect(settings.tags == ["traceparent": Self.parent] && settings.traceParent?.description == Self.parent)
        settings.takeTraceParent("00-11111111111111111111111111111111-2222222222222222-01")
        #expect(settings.traceParent?.description == Self.parent)
        #expect(settings.withoutTraceParent.isEmpty)

        var full = JobSettings()
        for number in 1...JobTag.maximumCount { full.tags["t\(number)"] = "x" }
        full.takeTraceParent(Self.parent)
        #expect(full.tags.count == JobTag.maximumCount && full.traceParent == nil && full.withoutTraceParent == full)
    }

    @Test("Works and hooks are told of a valid parent, and nothing is told without one")
    func telling() throws {
        let command = Template(work: Work(.commands([["true"]]), environment: ["A": "1"]))
        let typed = Template(work: Work(.typed(type: "look", argument: [])))
        var submission = Submission(templates: [command, typed], entries: [Entry(), Entry()])
        submission.entries[1].template = 1
        #expect(try ValidatedSubmission(submission).submission == submission)
        submission.settings.tags[JobTag.traceParent] = "nonsense"
        #expect(try ValidatedSubmission(submission).submission == submission)

        submission.settings.tags = [JobTag.traceParent: Self.parent]
        submission.settings.hooks = JobHooks([.finish: ["true"]])
        let told = try ValidatedSubmission(submission).submission
        #expect(told.templates[0].work.environment == ["A": "1", "BATON_TRACEPARENT": Self.parent])
        #expect(told.templates[1].work.environment == ["BATON_TRACEPARENT": Self.parent])
        #expect(told.settings.hooks?.environment == ["BATON_TRACEPARENT": Self.parent])
    }

    @Test("The same submission from another span has the same digest")
    func digest() {
        var submission = Submission(key: "k", templates: [Template(work: Work(.noOperation))], entries: [Entry()])
        let plain = submission.digest
        submission.settings.takeTraceParent(Self.parent)
        #expect(submission.digest == plain)
        submission.settings.tags["project"] = "x"
        let tagged = submission.digest
        #expect(tagged != plain)
        submission.settings.tags[JobTag.traceParent] = nil
        #expect(submission.digest == tagged)
    }
}
