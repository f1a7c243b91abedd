import BatonMemoryDisk
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonCoordinator

/// Retries of long arrays, from the record to the new job.
@Suite("Retries of long arrays", .timeLimit(.minutes(60)))
struct LongRetryTests {
    private static let count = 100_000_000

    private let job = JobNumber(1)
    private let coordinator: SteppedCoordinator
    private let client: RoutingID

    init() throws {
        coordinator = try SteppedCoordinator(SQLStore(on: MemoryDisk()), at: Timestamp(rawValue: 1_000_000))
        client = try #require(RoutingID([1]))
        let array = ArrayValues.numbers(first: 1, step: 1, count: Self.count)
        let submission = Submission(
            templates: [Template(work: Work(.noOperation))],
            entries: [Entry(name: "many", isHeld: true, array: array)]
        )
        for request in [Request.submit(submission), .cancel([.job(job)], queue: nil)] { _ = try ask(request) }
    }

    private func ask(_ request: Request) throws -> Reply {
        coordinator.ask(request, 1, from: client)
        coordinator.settle(flushes: true)
        return try #require(try coordinator.takeReplies().first?.reply)
    }

    /// The arrays of the newest job.
    private func newest() -> [ArrayValues?] {
        let jobs = coordinator.batches.joined().compactMap { change -> JobRecord? in
            if case .job(let job) = change { job } else { nil }
        }
        return jobs.last?.submission.entries.map(\.array) ?? []
    }

    @Test("D11 The retry of a cancelled array of 100,000,000 is one array, and is read beside the commits")
    func whole() throws {
        coordinator.asksQuestions = false
        coordinator.ask(.retry(job, cancelled: true, key: "whole"), 1, from: client)
        coordinator.settle(flushes: true)
        guard case .readBeside? = coordinator.questions.first else {
            Issue.record("\(coordinator.questions)")
            return
        }
        coordinator.asksQuestions = true
        coordinator.askQuestion()
        coordinator.settle(flushes: true)
        let reply = try #require(try coordinator.takeReplies().first?.reply)
        #expect(reply == .job(JobNumber(2), operations: UInt32(Self.count), isNew: true))
        #expect(newest() == [.numbers(first: 1, step: 1, count: Self.count)])
        guard case .refused(let refusal) = try ask(.retry(job, key: "none")) else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.message.contains("Some of it was cancelled"))
    }

    @Test("D11 The retry of parts of a cancelled array of 100,000,000 has these ranges")
    func parts() throws {
        let parts = [10..<1_000_000, 5..<12, 99_000_000..<99_000_010 as Range<UInt32>]
        let reply = try ask(
            .retry(job, operations: parts.map { .operations(job, $0) }, cancelled: true, key: "parts")
        )
        #expect(reply == .job(JobNumber(2), operations: 1_000_005, isNew: true))
        #expect(
            newest() == [
                .numbers(first: 6, step: 1, count: 999_995), .numbers(first: 99_000_001, step: 1, count: 10),
            ]
        )
    }
}
