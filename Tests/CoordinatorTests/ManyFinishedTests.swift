import BatonMemoryDisk
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonCoordinator

/// Requests about many finished operations, which only the record knows.
@Suite("Many finished operations", .timeLimit(.minutes(60)))
struct ManyFinishedTests {
    private static let count: UInt32 = 12_000

    private let job = JobNumber(1)
    private let coordinator: SteppedCoordinator
    private let client: RoutingID

    init() throws {
        coordinator = try SteppedCoordinator(SQLStore(on: MemoryDisk()), at: Timestamp(rawValue: 1_000_000))
        client = try #require(RoutingID([1]))
        let array = ArrayValues.numbers(first: 1, step: 1, count: Int(Self.count))
        let submission = Submission(
            templates: [Template(work: Work(.noOperation))],
            entries: [Entry(isHeld: true, array: array)]
        )
        for request in [Request.submit(submission), .cancel([.job(job)], queue: nil)] {
            coordinator.ask(request, 1, from: client)
            coordinator.settle(flushes: true)
        }
        _ = coordinator.takeMessages()
    }

    /// Asks a request, and returns the line of its last question, nil for one on the recorder's thread, and the reply.
    private func ask(_ request: Request) throws -> (line: ReadingLine?, reply: Reply) {
        coordinator.asksQuestions = false
        coordinator.ask(request, 2, from: client)
        coordinator.settle(flushes: true)
        var last: ReadingLine?
        while let question = coordinator.questions.first {
            last = if case .readBeside(let line, _, _) = question { line } else { nil }
            coordinator.askQuestion()
            coordinator.settle(flushes: true)
        }
        return (last, try #require(try coordinator.takeReplies().first?.reply))
    }

    @Test("The ends of many single operations are counted beside the commits, and those of few between two of them")
    func waits() throws {
        for (count, line) in [(Self.count, .jobs), (10, nil)] as [(UInt32, ReadingLine?)] {
            let address = Address.operations(job, 0..<count)
            let answer = try ask(.wait([address], queue: nil, atMost: .seconds(1), waiter: nil))
            #expect(answer.line == line)
            guard case .progress(let progress) = answer.reply else {
                Issue.record("\(answer.reply)")
                continue
            }
            #expect(progress.isFinished)
            #expect(progress.counts.cancelled == Int(count))
        }
    }

    @Test("Many dependencies on finished operations are looked up beside the commits, and few between two of them")
    func dependencies() throws {
        for (count, line, new) in [(Self.count, .jobs, 2), (10, nil, 3)] as [(UInt32, ReadingLine?, UInt32)] {
            let dependencies = (0..<count).map {
                Dependency(on: .existing(.operation(OperationID(job: job, index: $0))))
            }
            let submission = Submission(
                templates: [Template(work: Work(.noOperation))],
                entries: [Entry(dependencies: dependencies)]
            )
            let answer = try ask(.submit(submission))
            #expect(answer.line == line)
            #expect(answer.reply == .job(JobNumber(new), operations: 1, isNew: true))
        }
    }
}
