@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonCoordinator

@Suite("Output that comes with the end of a wait", .timeLimit(.minutes(60)))
struct WaitOutputTests {
    private static let address = Address.operation(OperationID(job: JobNumber(1), index: 0))

    private static func wait(
        for addresses: [Address] = [Self.address],
        atMost time: Duration = .seconds(3600),
        outputs: Bool = true
    ) -> Request {
        .wait(addresses, queue: nil, atMost: time, waiter: nil, outputs: outputs)
    }

    private func progress(_ reply: Reply) throws -> WaitProgress {
        guard case .progress(let progress) = reply else { throw Unexpected(answer: "\(reply)") }
        return progress
    }

    private func piece(_ attempt: UInt32, _ stream: OutputStream, _ bytes: [UInt8]) -> OutputPage.Piece {
        OutputPage.Piece(operation: 0, attempt: attempt, stream: stream, offset: 0, isWhole: true, bytes: bytes)
    }

    @Test(
        "Short output comes as a whole with the end, and longer output does not, nor a part of what was longer",
        arguments: [
            (0, 0, 0, true), (1, 0, 0, true), (0, 1, 0, true), (700, 800, 0, true), (4_096, 0, 0, true),
            (2_048, 2_048, 0, true), (4_096, 1, 0, false), (0, 4_097, 0, false), (65_536, 65_536, 0, false),
            (0, 5, 1, false), (0, 0, 9, false),
        ] as [(Int, Int, UInt64, Bool)]
    )
    func lengths(output: Int, errors: Int, lost: UInt64, isSent: Bool) throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let worker = try Peer(harness.server.endpoint)
        let session = try worker.join("w1", session: 7).session
        guard case .job(let job, _, _) = try client.ask(.submit(.noOperations([[]]))) else {
            throw Unexpected(answer: "no job")
        }
        let assignment = try worker.receiveAttempt()
        let early = try progress(client.ask(Self.wait(atMost: .zero)))
        #expect(!early.isFinished && early.outputs == nil)
        let (out, error) = ([UInt8](repeating: 7, count: output), [UInt8](repeating: 8, count: errors))
        let result = AttemptResult(
            end: .exited(errors == 0 ? 0 : 3),
            standardOutput: OutputTail(totalLength: UInt64(output), bytes: out),
            standardError: OutputTail(totalLength: UInt64(errors) + lost, bytes: error)
        )
        let completion = Completion(token: assignment.token, operation: assignment.operation, result: result)
        try worker.send(WorkerMessage.report(session, AttemptReport(completions: [completion])).encoded())
        let end = try progress(client.ask(Self.wait()))
        #expect(end.isFinished && end.counts.succeeded == (errors == 0 ? 1 : 0))
        let all = [piece(1, .standardOutput, out), piece(1, .standardError, error)].filter { !$0.bytes.isEmpty }
        #expect(end.outputs == (isSent ? all : nil))
        // Nobody else gets any.
        #expect(try progress(client.ask(Self.wait(outputs: false))).outputs == nil)
        #expect(try progress(client.ask(Self.wait(for: [.job(job)]))).outputs == nil)
        try harness.stop()
    }

    @Test("The output of all attempts comes in their order")
    func attempts() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let worker = try Peer(harness.server.endpoint)
        let session = try worker.join("w1", session: 7).session
        let template = Template(work: Work(.noOperation), retries: 2, retryDelay: .zero)
        let submission = Submission(templates: [template], entries: [Entry()])
        guard case .job = try client.ask(.submit(submission)) else { throw Unexpected(answer: "no job") }
        for round in UInt32(1)...3 {
            let assignment = try worker.receiveAttempt()
            #expect(assignment.attempt == round)
            let bytes = Array(repeating: UInt8(round), count: Int(round))
            let tail = OutputTail(totalLength: UInt64(round), bytes: bytes)
            let result = AttemptResult(
                end: .exited(round == 3 ? 0 : 1),
                standardOutput: round == 2 ? OutputTail() : tail,
                standardError: round == 1 ? OutputTail() : tail
            )
            let completion = Completion(token: assignment.token, operation: assignment.operation, result: result)
            try worker.send(WorkerMessage.report(session, AttemptReport(completions: [completion])).encoded())
        }
        let end = try progress(client.ask(Self.wait()))
        #expect(end.counts.succeeded == 1)
        let expected = [
            piece(1, .standardOutput, [1]), piece(2, .standardError, [2, 2]),
            piece(3, .standardOutput, [3, 3, 3]), piece(3, .standardError, [3, 3, 3]),
        ]
        #expect(end.outputs == expected)
        try harness.stop()
    }

    @Test("Who may not read output may wait, but not for output")
    func roles() {
        for role in [Role.client, .operation] {
            #expect(role.permits(Self.wait()) && role.permits(Self.wait(outputs: false)))
        }
        #expect(!Role.viewer.permits(Self.wait()) && Role.viewer.permits(Self.wait(outputs: false)))
        #expect(!Role.worker.permits(Self.wait(outputs: false)))
    }
}
