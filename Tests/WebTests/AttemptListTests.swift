@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Foundation
import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("The attempts of an operation", .timeLimit(.minutes(60)))
struct AttemptListTests {
    private struct Answer: Decodable {
        struct Attempt: Decodable {
            var attempt: Int
            var worker: String?
            var seconds: Double?
            var end: String
            var reason: String?
            var exitStatus: Int?
            var stdoutBytes: Int?
            var stderrBytes: Int?
        }
        var operation: String
        var attempts: [Attempt]
        var seq: Int
    }

    private static let id = OperationID(job: JobNumber(12), index: 3)

    private func earlier(_ number: UInt32, _ reason: Reason.Code, startedAt: Int64? = nil) -> AttemptRecord {
        AttemptRecord(
            attempt: number,
            worker: "w\(number)",
            startedAt: startedAt.map { Timestamp(rawValue: $0) },
            endedAt: Timestamp(rawValue: 5_000_000),
            reason: Reason(reason, "A sentence.")
        )
    }

    private func answer(
        _ earlier: [AttemptRecord],
        _ change: (inout OperationRecord) -> Void,
        log: @escaping @Sendable (UInt32?, BatonWire.OutputStream) -> Reply? = { _, _ in
            .refused(Refusal(.unavailable, "No."))
        }
    ) async throws -> (Int, Answer) {
        var record = OperationRecord(id: Self.id)
        change(&record)
        let document = OperationDocument(
            record: record,
            entry: Entry(name: "sepia", template: 0),
            queue: "images",
            template: Template(work: Work(.noOperation)),
            item: nil,
            dependencies: [],
            submittedAt: Timestamp(rawValue: 1),
            attempts: earlier
        )
        let web = try TestInterface(
            PreparedCluster { question in
                switch question.request {
                case .document(.operation): .document(document.json)
                case .log(.operation(Self.id), let attempt, let stream, _, _): log(attempt, stream)
                default: nil
                }
            }
        )
        let answer = try await web.ask("GET", "/api/v1/operations/12/3/attempts")
        let decoded = try JSONDecoder().decode(Answer.self, from: Data(answer.text.utf8))
        #expect(answer.status == 200 && decoded.operation == "12/3" && decoded.seq == 812)
        return (web.cluster.requests.count, decoded)
    }

    @Test("Earlier attempts come before the one that ended the operation")
    func ended() async throws {
        for (outcome, reason, end) in [
            (.succeeded, nil, "succeeded"), (.failed, .exit, "failed"), (.failed, .lost, "lost"),
            (.cancelled, .cancelled, "cancelled"),
        ] as [(Outcome, Reason.Code?, String)] {
            let (_, answer) = try await answer([earlier(1, .signal, startedAt: 2_500_000), earlier(2, .lost)]) {
                $0.state = .finished
                $0.outcome = outcome
                $0.reason = reason.map { Reason($0, "A sentence.") }
                $0.attempt = 4
                $0.worker = "w4"
                $0.startedAt = Timestamp(rawValue: 6_000_000)
                $0.finishedAt = Timestamp(rawValue: 6_250_000)
            }
            #expect(answer.attempts.map(\.attempt) == [1, 2, 4])
            #expect(answer.attempts.map(\.end) == ["failed", "lost", end])
            #expect(answer.attempts.map(\.seconds) == [2.5, nil, 0.25])
            #expect(answer.attempts.map(\.worker) == ["w1", "w2", "w4"])
            #expect(answer.attempts.map(\.reason) == ["signal", "lost", reason?.rawValue])
        }
    }

    @Test("An operation without an attempt, and one that waits for its next, have no attempt of their own")
    func waiting() async throws {
        let (questions, none) = try await answer([]) { $0.state = .ready }
        #expect(none.attempts.isEmpty && questions == 1)
        let (_, waiting) = try await answer([earlier(1, .exit), earlier(2, .timeout)]) {
            $0.state = .pending
            $0.attempt = 2
            $0.startedAt = Timestamp(rawValue: 1)
        }
        #expect(waiting.attempts.map(\.attempt) == [1, 2])
        let (_, skipped) = try await answer([]) {
            $0.state = .finished
            $0.outcome = .skipped
        }
        #expect(skipped.attempts.isEmpty)
        let (_, executing) = try await answer([earlier(1, .cancelled)]) {
            $0.state = .executing
            $0.attempt = 2
            $0.startedAt = Timestamp(rawValue: 1)
        }
        #expect(executing.attempts.map(\.end) == ["cancelled", "executing"] && executing.attempts[1].seconds == nil)
    }

    @Test("Lengths of outputs are those that are known, and cost two questions an attempt at most")
    func lengths() async throws {
        let records = (1...20).map { earlier($0, $0 % 2 == 0 ? .lost : .exit) }
        let (questions, answer) = try await answer(records) {
            $0.state = .executing
            $0.attempt = 21
            $0.startedAt = Timestamp(rawValue: 1)
        } log: { attempt, stream in
            let number = UInt64(attempt ?? 0)
            switch number {
            // Lost without any output.
            case 4: return .output(OutputChunk(offset: 0, bytes: [], totalLength: 0, isComplete: true))
            // Its output is not read yet.
            case 5: return .output(OutputChunk(offset: 0, bytes: [], totalLength: 0, isComplete: false))
            case 6: return .refused(Refusal(.unavailable, "No."))
            // Ended without any output.
            case 7: return .output(OutputChunk(offset: 0, bytes: [], totalLength: 0, isComplete: true))
            default: break
            }
            let length = number * 10 + (stream == .standardError ? 1 : 0)
            return .output(OutputChunk(offset: 0, bytes: [1], totalLength: length, isComplete: number < 21))
        }
        #expect(questions == 1 + 2 * 21 - 3)
        let unknown = [4, 5, 6]
        for attempt in answer.attempts {
            let known = attempt.attempt == 7 ? 0 : attempt.attempt * 10
            #expect(attempt.stdoutBytes == (unknown.contains(attempt.attempt) ? nil : known), "\(attempt)")
            #expect(attempt.stderrBytes == (unknown.contains(attempt.attempt) ? nil : known == 0 ? 0 : known + 1))
        }
    }
}
