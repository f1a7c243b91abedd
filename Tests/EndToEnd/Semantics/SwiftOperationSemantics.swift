import Baton
import Foundation
@_spi(Baton) import BatonSampleOperations
import Testing

extension SemanticsTests {
    @Suite("Swift operations")
    struct SwiftOperations {
        private func startSampleWorkers(of shape: ClusterShape, in cluster: TestCluster) async throws {
            for number in 1...shape.workers {
                try await cluster.startSampleWorker("sample\(number)", slots: shape.slotsOfEach)
            }
        }

        @Test(
            "BL4 A Swift operation's result is absent before its end, and then a typed value, its error or cancelled",
            arguments: ClusterShape.tested
        )
        func bl4(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                try await startSampleWorkers(of: shape, in: cluster)
                let queue = try Cluster(coordinator: cluster.endpoint, home: cluster.home.path).queue("texts")

                // The result stays absent while the operation executes, and while it waits.
                let gate = try cluster.gate()
                let first = RemoteOperation(StayAtGate(gate: gate.path)).named("first")
                try await queue.addOperation(first)
                let size = RemoteOperation(MeasureText(text: "eins zwei drei")).after(first)
                try await queue.addOperation(size)
                try await gate.arrival()
                #expect(try await first.result == nil)
                #expect(try await size.result == nil)
                try await gate.open()
                #expect(try await first.value == "passed")
                #expect(try await size.value == MeasureText.Size(letters: 12, words: 3))
                #expect(try await size.result == MeasureText.Size(letters: 12, words: 3))
                let shown = try await cluster.show("\(try #require(size.address))")
                #expect((shown.type, shown.argument) == ("measureText", #"{"text":"eins zwei drei"}"#))
                #expect(shown.worker.string.hasPrefix("sample"))
                #expect(try await cluster.show("\(try #require(first.address))").name == "first")

                // The error of a failed operation, and the skip of a dependent operation.
                let refusal = RemoteOperation(Refuse(sentence: "There is no paper.")).needs(size)
                try await queue.addOperation(refusal)
                let failure = try await #require(throws: OperationError.self) { try await refusal.value }
                #expect((failure.code, failure.outcome, failure.attempt) == (.error, .failed, 1))
                #expect(failure.message == "It threw an error: There is no paper.")
                #expect(failure.address == refusal.address)
                await #expect(throws: failure) { try await refusal.result }
                #expect(try await cluster.show("\(try #require(refusal.address))").reason == "error")
                let absent = try await cluster.baton("result", "\(try #require(refusal.address))")
                #expect(absent.status == 66 && absent.errors.contains("There is no paper."), "\(absent)")
                let skipped = RemoteOperation(MeasureText(text: "a")).needs(refusal)
                try await queue.addOperation(skipped)
                let skip = try await #require(throws: OperationError.self) { try await skipped.value }
                #expect((skip.code, skip.outcome) == (.dependency, .skipped))

                // Cancel an executing operation, and an operation before its start.
                let stay = try cluster.gate()
                let staying = try await queue.addOperation(StayAtGate(gate: stay.path, untilCancelled: true))
                let waiting = RemoteOperation(MeasureText(text: "a")).after(staying)
                try await queue.addOperation(waiting)
                try await stay.open()
                try await waiting.cancel()
                await #expect(throws: OperationError.self) { try await waiting.value }
                #expect((waiting.outcome, waiting.error?.code) == (.cancelled, .cancelled))
                #expect(try await staying.result == nil)
                try await staying.cancel()
                await #expect(throws: OperationError.self) { try await staying.value }
                #expect((staying.outcome, staying.error?.code) == (.cancelled, .cancelled))
                await #expect(throws: OperationError.self) { try await staying.result }
            }
        }

        @Test("BL4 A Swift operation that is too large is refused, and a cancelled task stops waiting for a value")
        func bl4Refusals() async throws {
            try await withCluster(ClusterShape.smallest) { cluster in
                let queue = try Cluster(coordinator: cluster.endpoint, home: cluster.home.path).queue("texts")
                let tooLarge = MeasureText(text: String(repeating: "a", count: 1 << 20))
                let refusal = try await #require(throws: ClusterError.self) { try await queue.addOperation(tooLarge) }
                #expect(refusal.code == .tooLarge)
                #expect(
                    refusal.message
                        == "The operation of type \"measureText\" has 1048587 bytes, more than the 1048576 that it may have. "
                        + "Keep large data in files, and let the operation name them."
                )

                // No worker here runs the type, so the operation would wait for ever.
                let waiting = try await queue.addOperation(MeasureText(text: "a"))
                let value = Task { try await waiting.value }
                value.cancel()
                await #expect(throws: CancellationError.self) { try await value.value }
                try await waiting.cancel()
                await #expect(throws: OperationError.self) { try await waiting.value }
                #expect(waiting.outcome == .cancelled)
            }
        }

        @Test(
            "BL4 A Swift operation goes to a worker that runs its type, and blocks no other operation before",
            arguments: ClusterShape.tested
        )
        func bl4Placement(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let graph = """
                    { operations: [
                      { name: "size", type: "measureText", argument: { text: 'one two', }, priority: "high" },
                      { name: "unknown", type: "paint", priority: "veryHigh" },
                      { name: "command", command: "\(cluster.note("command"))", priority: "low" },
                    ] }
                    """
                let job = try await cluster.submit(graph: graph)
                #expect(try await cluster.wait("\(job)/command") == 0)
                let reasons = try await cluster.json("explain", "\(job)/size").waitsFor.elements
                #expect(reasons.map { $0.kind } == ["noWorker"])
                #expect(reasons.first?.message.string.contains("measureText") == true)
                try await startSampleWorkers(of: shape, in: cluster)
                #expect(try await cluster.baton("workers").output.contains("measureText refuse stayAtGate"))
                #expect(try await cluster.wait("\(job)/size") == 0)
                #expect(try await cluster.baton("result", "\(job)/size").output == #"{"letters":6,"words":2}"#)
                #expect(try await cluster.show("\(job)/size").worker.string.hasPrefix("sample"))
                #expect(try await cluster.show("\(job)/unknown").state == "ready")
                // The record knows the types, and the workers come back with theirs.
                try await cluster.restartCoordinator(with: SIGKILL)
                let again = try await cluster.submit(
                    graph: "{ operations: [{ type: 'measureText', argument: { text: 'a' } }] }"
                )
                #expect(try await cluster.wait(again) == 0)
                #expect(try await cluster.show("\(job)/unknown").type == "paint")
                try await cluster.baton("cancel", job)
            }
        }
    }
}
