@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("The spans of a worker's attempts", .serialized, .timeLimit(.minutes(60)))
struct TraceTests {
    private static let record = Incarnation(rawValue: 77)
    private static let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    /// Prints the span, and whether there is a sign of a parent.
    private static func work(_ environment: [String: String] = [:]) -> Work {
        var work = Work.shell("printf '%s %s' \"${TRACEPARENT-no}\" \"${BATON_TRACEPARENT-no}\"")
        work.environment = environment
        return work
    }

    @Test("An attempt has its own span in its environment, not one of the submission")
    func attempt() async throws {
        try await WorkerTest.run(record: Self.record) { test in
            for attempt in [UInt32(1), 2, 7] {
                let assignment = try test.coordinator.dispatch(Self.work(["TRACEPARENT": Self.parent])) {
                    $0.attempt = attempt
                }
                let trace = JobTrace(of: assignment.operation.job, in: Self.record, parent: nil)
                let context = trace.context(ofAttempt: attempt, of: assignment.operation.index)
                let printed = try #require(try test.coordinator.completions().first).result.standardOutput.text
                #expect(printed == "\(context) no")
            }
        }
    }

    @Test("An attempt of a job with a parent is in the parent's trace")
    func parent() async throws {
        try await WorkerTest.run(record: Self.record) { test in
            let assignment = try test.coordinator.dispatch(Self.work([TraceContext.parentVariable: Self.parent]))
            let trace = JobTrace(of: assignment.operation.job, in: Self.record, parent: TraceContext(Self.parent))
            let context = trace.context(ofAttempt: 1, of: assignment.operation.index)
            let printed = try #require(try test.coordinator.completions().first).result.standardOutput.text
            #expect(printed == "\(context) no" && printed.contains("4bf92f3577b34da6a3ce929d0e0e4736"))
        }
    }

    @Test("The hook of an operation has the span of the last attempt, and the hook of a job that of the job")
    func hooks() async throws {
        try await WorkerTest.run(record: Self.record) { test in
            for operation in [OperationID(job: JobNumber(5), index: 3), .hook(.finish, of: JobNumber(5))] {
                _ = try test.coordinator.dispatch(Self.work()) {
                    $0.operation = operation
                    $0.attempt = 4
                    $0.hookOutcome = .failed
                }
                let trace = JobTrace(of: JobNumber(5), in: Self.record, parent: nil)
                let context = operation.hookMoment == nil ? trace.context(ofAttempt: 4, of: 3) : trace.root
                let printed = try #require(try test.coordinator.completions().first).result.standardOutput.text
                #expect(printed == "\(context) no")
            }
        }
    }

    @Test("Without an identity of the record there is no span of Baton's")
    func earlierCoordinator() async throws {
        try await WorkerTest.run { test in
            let printed = try test.coordinator.run(Self.work()).standardOutput.text
            #expect(printed == "no no")
        }
    }

    @Test("Attempts do not inherit the span that the worker was started from")
    func inherited() {
        for name in ["TRACEPARENT", "TRACESTATE"] {
            for isClean in [true, false] { #expect(!ProcessEnvironment.isInherited(name, isClean: isClean)) }
        }
        #expect(ProcessEnvironment.isInherited("TRACE", isClean: false))
    }
}
