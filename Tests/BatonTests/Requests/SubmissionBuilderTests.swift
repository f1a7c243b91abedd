import Synchronization
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Testing

@_spi(Baton) @testable import Baton

@Suite("Submissions of additions")
struct SubmissionBuilderTests {
    private let sample = SampleAdditions()
    private let missing = MissingAdditions()

    private func build(_ additions: [Addition], name: String? = nil, key: String? = nil) throws -> Submission {
        try SubmissionBuilder.build(additions, name: name, key: key, missing: missing).get()
    }

    @Test("Equal templates and queues are part of a submission once, and the order is that of the additions")
    func shared() throws {
        let other = sample.cluster.queue("r")
        let additions = [
            try sample.addition(CommandOperation("a")), try sample.addition(CommandOperation("b"), to: other),
            try sample.addition(CommandOperation("a"), to: other), try sample.addition(DistributedOperation()),
            try sample.addition(CommandOperation("a", options: OperationOptions(retries: 1))),
            try sample.addition(CommandOperation("b")),
        ]
        let submission = try build(additions)
        #expect(submission.queueNames == ["q", "r"])
        #expect(submission.entries.map(\.queue) == [0, 1, 1, 0, 0, 0])
        #expect(submission.entries.map(\.template) == [0, 1, 0, 2, 3, 1])
        #expect(submission.templates == [0, 1, 3, 4].map { additions[$0].template })
        try submission.validated()
    }

    @Test("L5 A submission has its own key, unless the program gives one")
    func keys() throws {
        let given = try build(try sample.additions(DistributedOperation()), name: "job", key: "nightly")
        #expect(given.key == "nightly" && given.name == "job")
        let keys = try (0..<100).map { _ in try build(try sample.additions(DistributedOperation())).key }
        #expect(Set(keys).count == 100 && !keys.contains(nil))
    }

    @Test("L10 An entry has the settings of the moment, and later changes need requests of their own")
    func moment() throws {
        let operation = DistributedOperation(options: OperationOptions(delay: .seconds(7), isHeld: true)).named("first")
            .priority(.veryHigh).barrier()
        let cancelled = DistributedOperation()
        let additions = try sample.additions(operation, cancelled)
        operation.queuePriority = .low
        cancelled.cancel()
        let submission = try build(additions)
        let first = try #require(submission.entries.first)
        #expect(first.name == "first" && first.priority == .low && first.delay == .seconds(7))
        #expect(first.isHeld && first.isBarrier && !first.isCancelled)
        let second = submission.entries[1]
        #expect(second.name == nil && second.priority == .normal && second.delay == nil)
        #expect(!second.isHeld && !second.isBarrier && second.isCancelled)
        for operation in [operation, cancelled] {
            guard case .sent(let queue) = operation.status.withLock(\.place) else {
                Issue.record("The operation is not on its way.")
                continue
            }
            #expect(queue === sample.queue)
        }
    }

    @Test("L6 Dependencies are on entries, before or after, on what is in the cluster, or on what is missing")
    func dependencies() throws {
        let (first, second, third) = (DistributedOperation(), DistributedOperation(), DistributedOperation())
        let (added, absent) = (DistributedOperation(), DistributedOperation())
        sample.place(added, at: 7, 3)
        first.addDependency(third, requiring: .success)
        second.addDependency(first)
        second.addDependency(added, requiring: .failure)
        second.addDependency(on: OperationAddress(job: 8, index: 1))
        second.addDependency(onJob: 9, requiring: .success)
        third.addDependency(on: OperationAddress(job: 8, index: 2))
        third.addDependency(absent, requiring: .success)
        let entries = try build(try sample.additions(first, second, third)).entries
        #expect(Array(entries[0].dependencies) == [Dependency(on: .entry(2), condition: .success)])
        let address = Address.operation(OperationID(job: JobNumber(8), index: 1))
        #expect(
            Array(entries[1].dependencies) == [
                Dependency(on: .entry(0)),
                Dependency(on: .existing(.operation(OperationID(job: JobNumber(7), index: 3))), condition: .failure),
                Dependency(on: .existing(address)), Dependency(on: .existing(.job(JobNumber(9))), condition: .success),
            ]
        )
        // What is there already is an edge at once; the rest holds the operation.
        #expect(Array(entries[2].dependencies).count == 1)
        #expect(entries.map(\.isHeld) == [false, false, true])
        #expect(missing.missing(for: third) == [absent] && missing.isWaiting(third))
        #expect(!missing.isWaiting(first) && !missing.isWaiting(second))
        let isHeld = third.status.withLock(\.isHeld)
        #expect(!isHeld, "the program does not hold it")
        let completed = missing.added(absent)
        #expect(completed.map(\.operation) == [third])
        #expect(completed.first?.dependencies.map(\.condition) == [.success])
    }

    @Test(
        "L4 An address that no operation can have fails its own addition, whose position is told",
        arguments: [
            OperationAddress(job: 0, index: 0), OperationAddress(job: -1, index: 0),
            OperationAddress(job: 1, index: -1),
            OperationAddress(job: 1 << 32, index: 0), OperationAddress(job: 1, index: 1 << 32),
            OperationAddress(job: .min, index: .max),
        ]
    )
    func impossible(_ address: OperationAddress) throws {
        let bad = DistributedOperation()
        bad.addDependency(on: address)
        let error = #expect(throws: SubmissionBuilder.Failed.self) {
            try build(try sample.additions(DistributedOperation(), DistributedOperation(), bad))
        }
        #expect(error?.position == 2 && error?.error.code == .unknownDependency)
    }

    @Test("L4 A job that cannot be fails its addition", arguments: [0, -1, 1 << 32, .min])
    func impossibleJob(_ number: Int) throws {
        let bad = DistributedOperation()
        bad.addDependency(onJob: number)
        let error = #expect(throws: SubmissionBuilder.Failed.self) { try build(try sample.additions(bad)) }
        #expect(error?.position == 0 && error?.error.code == .unknownDependency)
    }

    @Test("L4 A dependency on a refused operation, or on one of another coordinator, fails its addition")
    func refused() throws {
        let refused = DistributedOperation().named("refused")
        refused.wasRefused(by: sample.queue, ClusterError(.invalid, "No."))
        let first = DistributedOperation().after(refused)
        let error = #expect(throws: SubmissionBuilder.Failed.self) { try build(try sample.additions(first)) }
        #expect(error?.error.code == .unknownDependency && error?.error.message.contains("\"refused\"") == true)

        let elsewhere = DistributedOperation()
        let channel = FakeChannel(endpoint: "tcp://127.0.0.1:2")
        let other = Cluster(channel: channel, streams: { channel }).queue("q")
        elsewhere.status.withLock { $0.place = .added(other, OperationID(job: JobNumber(1), index: 0)) }
        let second = DistributedOperation().after(elsewhere)
        let foreign = #expect(throws: SubmissionBuilder.Failed.self) { try build(try sample.additions(second)) }
        #expect(foreign?.error.code == .invalid)
    }
}
