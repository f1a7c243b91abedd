@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
import Testing

@Suite("What holds a job up")
struct WaitingDocumentTests {
    private typealias Reason = WaitingDocument.Reason

    private static let job = JobNumber(12)
    private static let one = WaitingSubject(count: 1, operation: OperationID(job: job, index: 7), queue: "q")
    private static let many = WaitingSubject(count: 46, operation: OperationID(job: job, index: 7), queue: "q")

    @Test("The document has its reasons with their numbers, and the number of other operations")
    func document() throws {
        try expect(
            WaitingDocument(
                job: Self.job,
                reasons: [
                    .dependencies(Self.many, first: .operation(OperationID(job: Self.job, index: 1)), isOnly: false),
                    .hold(Self.one),
                ],
                more: 3
            ),
            writes:
                #"{"job":12,"reasons":[{"kind":"dependency","message":"46 operations wait for others that must end first, "#
                + #"such as 12/1.","count":46,"operation":"12/7","queue":"q"},{"kind":"hold","message":"12/7 is held.","#
                + #""count":1,"operation":"12/7","queue":"q"}],"more":3}"#
        )
    }

    @Test("Each kind of reason has a sentence about one operation, and one about several")
    func sentences() {
        let barrier = OperationID(job: Self.job, index: 5)
        func texts(_ reason: (WaitingSubject) -> Reason) -> [String] {
            [Self.one, Self.many].map { reason($0).message }
        }
        func reasons(_ reason: (Bool) -> WaitReason) -> [String] {
            texts { Reason($0, reason($0.isPlural)) }
        }
        #expect(
            texts { .hold($0) } == ["12/7 is held.", "46 operations are held."]
        )
        #expect(
            texts { .dependencies($0, first: .named(Self.job, "a\u{202E}b"), isOnly: true) } == [
                "12/7 waits for 12/a\u{FFFD}b, which must end first.",
                "46 operations wait for 12/a\u{FFFD}b, which must end first.",
            ]
        )
        #expect(
            texts { .dependencies($0, first: .job(JobNumber(9)), isOnly: true) }[1]
                == "46 operations wait for job 9, which must end first."
        )
        #expect(
            texts { .dependencies($0, first: nil, isOnly: false) } == [
                "12/7 waits for others that must end first.", "46 operations wait for others that must end first.",
            ]
        )
        #expect(
            texts { .delays($0, from: moment(9), isRetry: false, now: moment(5)) } == [
                "12/7 was submitted with a delay and can start in 4.0s, at 2026-11-21 03:00:09 UTC.",
                "46 operations were submitted with a delay; the first of them can start in 4.0s, at 2026-11-21 03:00:09 UTC.",
            ]
        )
        #expect(
            texts { .delays($0, from: moment(9), isRetry: true, now: moment(5)) } == [
                "The last attempt of 12/7 failed; the next one can start in 4.0s, at 2026-11-21 03:00:09 UTC.",
                "The last attempts of 46 operations failed; the first of the next ones can start in 4.0s, at "
                    + "2026-11-21 03:00:09 UTC.",
            ]
        )
        #expect(
            texts { .cancelled($0) } == [
                #"12/7 was cancelled and never starts; it is finished once the queue "q", which is suspended, is resumed."#,
                #"46 operations were cancelled and never start; they are finished once the queue "q", which is suspended, is "#
                    + "resumed.",
            ]
        )
        #expect(
            texts { .sent($0, worker: "w1", isRecalled: false, isAway: false) } == [
                "12/7 waits: it was sent to the worker w1, and starts there as soon as a slot is free.",
                "46 operations were sent to workers, and start there as soon as slots are free.",
            ]
        )
        #expect(texts { .sent($0, worker: "w1", isRecalled: true, isAway: false) }[1].contains("asked to return them"))
        #expect(texts { .sent($0, worker: "w1", isRecalled: false, isAway: true) }[1].contains("have not come back"))
        #expect(texts { .sent($0, worker: "w1", isRecalled: true, isAway: true) }[1].contains("have not come back"))
        #expect(
            texts { .barrier($0, barrier, unfinished: 2) } == [
                #"12/7 waits: the barrier 12/5 of the queue "q" comes first, and waits for the end of 2 operations that were "#
                    + "added before.",
                #"46 operations wait: the barrier 12/5 of the queue "q" comes first, and waits for the end of 2 operations "#
                    + "that were added before.",
            ]
        )
        #expect(
            [0, 1].map { number in texts { .barrier($0, barrier, unfinished: number) }[0] } == [
                #"12/7 waits: the barrier 12/5 of the queue "q" comes first."#,
                #"12/7 waits: the barrier 12/5 of the queue "q" comes first, and waits for the end of an operation that was "#
                    + "added before.",
            ]
        )
        #expect(
            [1, 2].map { number in texts { .beforeBarrier($0, unfinished: number) }[0] } == [
                #"12/7 waits: it is a barrier, and an operation that was added to the queue "q" before is not finished."#,
                #"12/7 waits: it is a barrier, and 2 operations that were added to the queue "q" before are not finished."#,
            ]
        )
        #expect(
            texts { .worker($0) } == [
                "12/7 is ready, and waits for a worker that takes it.",
                "46 operations are ready, and wait for a worker that takes them.",
            ]
        )
        #expect(texts { .nothing($0) } == ["12/7 is about to start.", "46 operations are about to start."])
        #expect(
            reasons { _ in .suspended(queue: "q") }[1]
                == #"46 operations wait: the queue "q" is suspended and starts nothing."#
        )
        #expect(
            reasons { .noWorker(isPlural: $0) } == [
                "12/7 waits: no worker is connected that could run it.",
                "46 operations wait: no worker is connected that could run them.",
            ]
        )
        #expect(
            reasons { .draining(workers: ["w1"], isPlural: $0) }[1]
                == "46 operations wait: the worker w1 is draining and starts nothing new, and no other worker could run them."
        )
        #expect(
            reasons { .timeLimit(needed: .seconds(60), left: .zero, worker: "w1", others: 1, isPlural: $0) }[1]
                == "46 operations wait: they declare that they take up to 1m, and of the workers that could run them, w1 has "
                + "reached its time limit."
        )
    }

    @Test("Each reason has its kind, the first operation and the queue")
    func kinds() {
        let barrier = OperationID(job: Self.job, index: 5)
        for subject in [Self.one, Self.many] {
            let reasons: [Reason] = [
                .hold(subject), .dependencies(subject, first: nil, isOnly: false),
                .delays(subject, from: moment(9), isRetry: false, now: moment(5)), .cancelled(subject),
                .sent(subject, worker: "w1", isRecalled: false, isAway: false),
                .barrier(subject, barrier, unfinished: 2), .beforeBarrier(subject, unfinished: 2), .worker(subject),
                .nothing(subject), Reason(subject, .failing(worker: "w1", reason: "No.", others: 0)),
            ]
            let kinds: [WaitReason.Kind] = [
                .hold, .dependency, .delay, .suspended, .slots, .barrier, .barrier, .resources, .order, .failing,
            ]
            #expect(reasons.map(\.kind) == kinds)
            for reason in reasons + reasons.map(\.withoutContent) {
                #expect(
                    reason.operation == subject.operation && reason.count == subject.count && reason.queue == "q"
                )
            }
        }
    }

    @Test("A reason tells whether a worker could ever take the operations, if it is about what workers have")
    func possibility() {
        var missing = WaitReason(
            .resources,
            "No worker that is connected can ever run them: w1 (gpu: needs 1, 0 of 0 free)."
        )
        for isPossible in [true, false] {
            missing.possible = isPossible
            let reason = Reason(Self.many, missing)
            #expect(reason.possible == isPossible)
            #expect(String(decoding: reason.json, as: UTF8.self).hasSuffix(#""queue":"q","possible":\#(isPossible)}"#))
        }
        #expect(Reason(Self.many, .slots(total: 2)).possible == nil && Reason.hold(Self.one).possible == nil)
    }

    @Test("A reader without content sees a general sentence for faults of workers, and all others as they are")
    func disclosure() {
        let failing = Reason(Self.many, .failing(worker: "w1", reason: "No space for /secret is left.", others: 0))
        let document = WaitingDocument(job: Self.job, reasons: [failing, .hold(Self.one)])
        #expect(
            document.withoutContent.reasons.map(\.message) == [
                "46 operations wait: the worker cannot start operations.", Reason.hold(Self.one).message,
            ]
        )
        #expect(document.withoutContent.reasons.map(\.kind) == [.failing, .hold])
    }
}
