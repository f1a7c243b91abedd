@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
import Foundation
import Testing

/// Tests of the documents for readers who may not see content.
@Suite("Documents without content")
struct DisclosureTests {
    /// A word that stands only in content.
    private static let secret = "hunter2"

    private static func operation(_ kind: Work.Kind, _ reason: Reason.Code = .launch) -> OperationDocument {
        let (id, moment) = (OperationID(job: JobNumber(1), index: 0), moment(0))
        var record = OperationRecord(id: id, state: .finished)
        record.outcome = .failed
        record.reason = Reason(reason, "There is no program \(secret).")
        let failed = AttemptRecord(
            attempt: 1,
            worker: "w1",
            startedAt: moment,
            endedAt: moment,
            reason: Reason(reason, "It threw an error: \(secret)")
        )
        return OperationDocument(
            record: record,
            entry: Entry(name: "sepia", delay: .seconds(1)),
            queue: "images",
            template: Template(
                work: Work(kind, environment: ["NAME": secret], directory: "/\(secret)", standardInput: secret),
                onFinish: ["echo", secret]
            ),
            item: secret,
            index: 3,
            dependencies: [DependencyDocument(operation: "12/0", condition: .success)],
            submittedAt: moment,
            attempts: [failed]
        )
    }

    private static let samples = [
        operation(.commands([["echo", secret]])), operation(.commands([["echo"], [secret]]), .lost),
        operation(.commands([["echo", "{}"]])),
        operation(.typed(type: "resize", argument: Array(secret.utf8)), .error), operation(.noOperation, .result),
    ]

    private func hides(_ document: some Document) {
        let text = String(decoding: document.json(for: .state), as: UTF8.self)
        #expect(!text.contains(Self.secret), "\(text)")
        #expect(String(decoding: document.json(for: .everything), as: UTF8.self).contains(Self.secret))
    }

    @Test("The documents of operations and jobs have no content", arguments: samples)
    func operations(document: OperationDocument) throws {
        hides(document)
        hides(
            JobDocument(
                job: JobNumber(1),
                name: nil,
                state: .finished,
                counts: counts,
                operations: [document],
                submittedAt: moment(0)
            )
        )
        for attempt in try #require(document.attempts) { hides(attempt) }
        let shown = try JSONDecoder().decode(OperationDocument.self, from: Data(document.json(for: .state)))
        #expect(shown.command == nil && shown.commands == nil && shown.argument == nil && shown.item == nil)
        #expect(shown.onFinish == nil && ["onFinish", "cwd", "stdin"].allSatisfy { shown.settings[$0] == nil })
        // The rest stays.
        #expect(shown.name == "sepia" && shown.index == 3 && shown.type == document.type)
        #expect(shown.reason == document.reason && shown.message?.hasSuffix(".") == true)
        #expect(shown.settings["delay"] == .text("1s") && shown.settings["env"] == .texts(["NAME"]))
        #expect(shown.dependencies == document.dependencies && shown.attempts?.count == 1)
    }

    @Test("Progress is shown as a number, without the message that the operation reports")
    func progress() {
        let id = OperationID(job: JobNumber(1), index: 0)
        let reported = OperationProgress(fraction: 0.25, message: Self.secret)
        let operation = OperationDocument(
            record: OperationRecord(id: id, state: .executing),
            entry: Entry(name: "sepia"),
            queue: "images",
            template: Template(work: Work(.noOperation)),
            item: nil,
            dependencies: [],
            submittedAt: moment(0),
            progress: reported
        )
        hides(operation)
        #expect(operation.withoutContent.progress == 0.25 && operation.withoutContent.progressMessage == nil)
        let event = EventDocument(
            ClusterEvent(sequence: 7, time: moment(0), subject: .operations(id, count: 1, .progress(reported)))
        )
        hides(event)
        #expect(event.withoutContent.progress == 0.25 && event.withoutContent.operation == id)
    }

    @Test("The document of failures has no items, no output and no sentence that may quote either")
    func failures() throws {
        let group = FailuresDocument.Group(
            group: 1,
            count: 3,
            kind: FailureKind(reason: .launch, exitStatus: nil, signal: nil, line: "no \(Self.secret)"),
            message: "There is no program \(Self.secret).",
            operations: [OperationID(job: JobNumber(1), index: 0)],
            names: ["sepia"],
            items: [Self.secret],
            stderr: "\(Self.secret)\n"
        )
        let document = FailuresDocument(job: JobNumber(1), name: nil, counts: counts, failures: [group], more: 0)
        hides(document)
        let shown = try JSONDecoder().decode(FailuresDocument.self, from: Data(document.json(for: .state)))
        #expect(shown.failures[0].names == ["sepia"] && shown.failures[0].items == [nil])
        #expect(shown.failures[0].message == "It could not be started." && shown.failures[0].count == 3)
    }

    @Test("The list of jobs has no commands")
    func jobs() {
        let job = JobListDocument.Job(
            job: JobNumber(1),
            name: nil,
            queue: "images",
            state: .executing,
            counts: counts,
            submittedAt: moment(0),
            command: ["echo", Self.secret]
        )
        hides(JobListDocument(jobs: [job]))
    }

    @Test("Sentences that quote nothing stay as they are", arguments: Reason.Code.allCases)
    func sentences(code: Reason.Code) {
        var document = Self.operation(.noOperation, code)
        document.message = "It did."
        let kept: Set<Reason.Code> = [
            .exit, .signal, .timeout, .memory, .input, .dependency, .notNeeded, .cancelled, .deadline, .reused, .sent,
        ]
        #expect((document.withoutContent.message == "It did.") == kept.contains(code))
    }

    @Test("Faults of workers are general sentences, in every document that has them")
    func faults() {
        let worker = WorkersDocument.Worker(
            worker: "w1",
            state: .failing,
            reason: Self.secret,
            slots: 1,
            executing: 0,
            host: "h",
            processID: 1
        )
        hides(WorkersDocument(workers: [worker]))
        hides(
            WorkerDocument(
                worker: worker,
                executing: [],
                since: nil,
                succeeded: 0,
                unsuccessful: 0,
                ended: [],
                busy: [],
                busyBucketSeconds: 10
            )
        )
        var healthy = worker
        healthy.reason = nil
        #expect(healthy.withoutContent == healthy)
        hides(
            StatusDocument(
                coordinator: "c",
                version: "v",
                epoch: 1,
                security: .curve,
                uptimeSeconds: 0,
                time: Timestamp(rawValue: 0),
                workers: 1,
                slots: 1,
                failing: [StatusDocument.Failing(worker: "w1", reason: Self.secret)],
                queues: 0,
                counts: counts
            )
        )
        let failing = WaitReason.failing(worker: "w1", reason: Self.secret, others: 0)
        let nested = WaitReason.dependency(
            on: .job(JobNumber(1)),
            condition: .any,
            counts: counts,
            waitsFor: [failing]
        )
        let operation = OperationID(job: JobNumber(1), index: 0)
        hides(ExplainDocument(operation: operation, state: .ready, waitsFor: [failing, nested]))
        #expect(failing.withoutContent.worker == "w1")
        #expect(WaitReason.slots(total: 2).withoutContent == WaitReason.slots(total: 2))
    }
}
