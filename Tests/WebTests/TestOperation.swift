@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Synchronization

@_spi(Baton) @testable import BatonWeb

/// An operation that a test lets execute, as a coordinator answers about it.
final class TestOperation: Sendable {
    struct Attempt {
        var output: [UInt8] = []
        var isOver = false
    }

    struct State {
        /// The attempts, of which the last one may be executing.
        var attempts: [Attempt] = []
        var outcome: Outcome?
        /// Why the operation failed, if it did.
        var reason = Reason.Code.exit
        var isExecuting: Bool { outcome == nil && attempts.last?.isOver == false }
    }

    static let id = OperationID(job: JobNumber(12), index: 3)
    let state = Mutex(State())
    let ticks = TestTicks()
    private let mostOfAnswer: Int

    /// Makes an operation that has not begun.
    ///
    /// - Parameter most: the most bytes of output in one answer.
    init(mostOfAnswer: Int = .max) {
        self.mostOfAnswer = mostOfAnswer
    }

    /// Begins another attempt.
    func begin() { state.withLock { $0.attempts.append(Attempt()) } }

    /// Adds to the output of the last attempt.
    func write(_ bytes: some Sequence<UInt8>) {
        state.withLock { $0.attempts[$0.attempts.count - 1].output += bytes }
    }

    /// Ends the last attempt, and with an outcome the operation.
    func end(_ outcome: Outcome? = nil, because reason: Reason.Code = .exit) {
        state.withLock { state in
            state.reason = reason
            if !state.attempts.isEmpty { state.attempts[state.attempts.count - 1].isOver = true }
            state.outcome = outcome
        }
    }

    /// The answer to a question about the operation.
    ///
    /// A wait ends with the next tick, or with the end of the operation if that has come before.
    func reply(to request: Request) async -> Reply? {
        switch request {
        case .wait(let addresses, _, let time, _, _, _, _) where addresses == [.operation(Self.id)]:
            if time > .zero, state.withLock({ $0.outcome == nil }) { await ticks.pace.wait() }
            guard !Task.isCancelled else { return nil }
            return state.withLock { state in
                var counts = JobCounts()
                counts.executing = state.isExecuting ? 1 : 0
                return .progress(WaitProgress(counts: counts, isFinished: state.outcome != nil))
            }
        case .document(.operation): return .document(document.json)
        case .log(.operation(Self.id), let attempt, let stream, let offset, let limit):
            return state.withLock { state in
                let number = attempt.map { Int($0) } ?? state.attempts.count
                guard number <= state.attempts.count else {
                    return .refused(Refusal(.notFound, "There is no attempt \(number)."))
                }
                // The attempt of an unfinished operation between two attempts cannot be read.
                let isReadable =
                    number > 0 && (number < state.attempts.count || state.isExecuting || state.outcome != nil)
                guard isReadable else {
                    return .output(OutputChunk(offset: offset, bytes: [], totalLength: offset, isComplete: false))
                }
                let output = stream == .standardOutput ? state.attempts[number - 1].output : []
                let start = min(Int(offset), output.count)
                return .output(
                    OutputChunk(
                        offset: UInt64(start),
                        bytes: Array(output[start...].prefix(min(Int(limit), mostOfAnswer))),
                        totalLength: UInt64(output.count),
                        isComplete: state.attempts[number - 1].isOver
                    )
                )
            }
        default: return .refused(Refusal(.notFound, "There is no such operation."))
        }
    }

    /// The operation's document.
    var document: OperationDocument {
        state.withLock { state in
            var record = OperationRecord(id: Self.id, state: .pending)
            record.attempt = UInt32(state.attempts.count)
            if state.isExecuting { record.state = .executing }
            if let outcome = state.outcome {
                record.state = .finished
                record.outcome = outcome
                if outcome == .failed {
                    record.reason = Reason(state.reason, "It failed.")
                    record.exitStatus = state.reason == .exit ? 3 : nil
                }
            }
            return OperationDocument(
                record: record,
                entry: Entry(name: "sepia", template: 0),
                queue: "images",
                template: Template(work: Work(.noOperation)),
                item: nil,
                dependencies: [],
                submittedAt: Timestamp(rawValue: 1),
                lostOutputs: record.reason?.code == .lost ? [record.attempt] : []
            )
        }
    }
}
