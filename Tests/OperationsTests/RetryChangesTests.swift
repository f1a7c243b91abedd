@_spi(Baton) import BatonOperations
import Testing

@Suite("Retries with changes", .timeLimit(.minutes(60)))
struct RetryChangesTests {
    private static func template(_ word: String, memory: Int64? = nil) -> Template {
        Template(work: Work(.commands([[word]]), memory: memory))
    }

    private static let needsFirst = [Dependency(on: .entry(0), condition: .success)]

    /// A job of a failed array, of what was skipped because of it, and of a success.
    private static let job: JobToRetry = {
        let entries = [
            Entry(name: "many", array: .numbers(first: 1, step: 1, count: 3)),
            Entry(name: "sum", dependencies: needsFirst), Entry(name: "other"),
        ]
        var submission = Submission(templates: [template("old", memory: 1 << 20)], entries: entries)
        submission.templates[0].memoryUpTo = 1 << 30
        let fates: [Outcome] = [.succeeded, .failed, .failed, .skipped, .succeeded]
        return JobToRetry(
            job: JobRecord(
                number: JobNumber(12),
                submittedAt: Timestamp(rawValue: 5),
                order: 100,
                submission: submission
            ),
            fates: OperationFates(fates.map { OperationFate(outcome: $0) })
        )
    }()

    private func retry(_ changes: RetryChanges) throws -> Submission {
        let retry = try #require(try Submission.retrying(Self.job, changing: changes))
        try retry.validated()
        return retry
    }

    private func templates(of retry: Submission) -> [Template] { retry.entries.map { retry.templates[$0.template] } }

    @Test("D11 Memory and timeout are for what failed, and what was skipped because of it keeps its own")
    func limits() throws {
        let retry = try retry(RetryChanges(memory: 2 << 30, timeout: .seconds(60), timeoutUpTo: .seconds(240)))
        #expect(retry.entries.map(\.name) == ["many", "sum"])
        let changed = templates(of: retry)
        #expect(changed.map(\.work.memory) == [2 << 30, 1 << 20] && changed.map(\.memoryUpTo) == [nil, 1 << 30])
        #expect(changed.map(\.work.timeout) == [.seconds(60), nil])
        #expect(changed.map(\.timeoutUpTo) == [.seconds(240), nil])
        // No request for memory at all.
        #expect(try templates(of: self.retry(RetryChanges(memory: 0)))[0].work.memory == nil)
        #expect(try Submission.retrying(Self.job, changing: RetryChanges()) == Submission.retrying(Self.job))
    }

    @Test("D11 A graph has the commands, settings and queues of the operations, which are found by their names")
    func graph() throws {
        let described = Submission(
            queueNames: ["slow", "default"],
            templates: [Self.template("new"), Self.template("sum2")],
            entries: [
                Entry(name: "sum", template: 1, queue: 1), Entry(name: "unknown"),
                Entry(name: "many", priority: .high, array: .lines(["a", "b", "c"])),
            ]
        )
        let retry = try retry(RetryChanges(memory: 1 << 30, graph: described))
        #expect(retry.entries.map(\.name) == ["many", "sum"] && retry.entries.map(\.priority) == [.high, .normal])
        let kinds = templates(of: retry).map(\.work.kind)
        #expect(kinds == [.commands([["new"]]), .commands([["sum2"]])])
        #expect(templates(of: retry).map(\.work.memory) == [1 << 30, nil])
        #expect(retry.entries.map { retry.queueNames[$0.queue] } == ["slow", "default"])
        // Dependencies and elements are those of the job.
        #expect(Array(retry.entries[1].dependencies).contains(Self.needsFirst[0]))
        #expect(retry.entries[0].count == 2)
    }

    @Test("D11 A retry has the holds and delays of its graph, and never those of the old job")
    func waits() throws {
        var job = Self.job
        for position in job.job.submission.entries.indices {
            job.job.submission.entries[position].isHeld = true
            job.job.submission.entries[position].delay = .seconds(7)
        }
        let graph = Submission(
            templates: [Self.template("new")],
            entries: [
                Entry(name: "many", isHeld: true, array: .lines(["a", "b", "c"])),
                Entry(name: "sum", delay: .seconds(60)),
            ]
        )
        let described = try #require(try Submission.retrying(job, changing: RetryChanges(graph: graph)))
        #expect(described.entries.map(\.isHeld) == [true, false])
        #expect(described.entries.map(\.delay) == [nil, .seconds(60)])
        let repeated = try #require(try Submission.retrying(job))
        #expect(repeated.entries.allSatisfy { !$0.isHeld && $0.delay == nil })
    }

    @Test("D11 A graph that does not describe an operation, or has a single operation for an array, is refused")
    func refusals() throws {
        func sentence(_ entries: [Entry]) -> String? {
            let graph = Submission(templates: [Self.template("new")], entries: entries)
            let refusal = #expect(throws: Refusal.self) { try retry(RetryChanges(graph: graph)) }
            return refusal?.message
        }
        let array = ArrayValues.numbers(first: 1, step: 1, count: 3)
        let missing = sentence([Entry(name: "many", array: array)])
        #expect(missing?.contains("does not describe 12/3 (sum)") == true, "\(missing as Any)")
        let single = sentence([Entry(name: "many"), Entry(name: "sum")])
        #expect(single?.contains("12/0 (many) is an array of the job") == true, "\(single as Any)")
        let beyond = sentence([Entry(name: "many", template: 7, array: array), Entry(name: "sum")])
        #expect(beyond?.contains("without a template") == true, "\(beyond as Any)")
    }

    @Test("Other changes under the same key are another retry")
    func digests() {
        let graph = Submission(templates: [Self.template("new")], entries: [Entry(name: "sum")])
        let all = [
            RetryChanges(), RetryChanges(memory: 1), RetryChanges(memory: 1, memoryUpTo: 2),
            RetryChanges(timeout: .seconds(1)), RetryChanges(timeout: .seconds(1), timeoutUpTo: .seconds(2)),
            RetryChanges(graph: graph),
        ]
        let digests = all.map { RetrySelection().digest(of: JobNumber(12), [], groups: [], changing: $0) }
        #expect(Set(digests).count == all.count)
        #expect(digests[0] == RetrySelection().digest(of: JobNumber(12), [], groups: []))
    }
}
