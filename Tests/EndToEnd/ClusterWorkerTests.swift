@_spi(Baton) import BatonClient
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
import Foundation
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import Baton

/// A worker in this process, with a real coordinator.
@Suite("A worker in a program", .timeLimit(.minutes(60)))
struct ClusterWorkerTests {
    /// Measures a text.
    private struct Measure: ClusterOperation {
        static let typeName = "measure"
        var text: String

        func run(in context: OperationContext) async throws -> Int {
            guard !text.isEmpty else { throw CocoaError(.coderValueNotFound) }
            return text.count
        }
    }

    /// Adds the results of its dependencies, and tells of itself.
    private struct Add: ClusterOperation {
        struct Report: Codable, Hashable {
            var sizes: [Int?]
            var commands: [String]
            var outcomes: [Baton.OperationOutcome]
            var address: Baton.OperationAddress
            var description: String
        }

        static let typeName = "add"

        func run(in context: OperationContext) async throws -> Report {
            Report(
                sizes: try context.results(of: Measure.self),
                commands: context.dependencies.filter { $0.typeName == nil }
                    .map { String(decoding: $0.data ?? Data(), as: UTF8.self) },
                outcomes: context.dependencies.map(\.outcome),
                address: context.address,
                description: "\(context.name ?? "-") \(context.attempt) \(context.worker) \(context.queue.name)"
            )
        }
    }

    /// Waits for itself, and then adds an operation to its cluster.
    private struct Act: ClusterOperation {
        /// The way to the coordinator that the operation went.
        static let channel = Observed<OperationChannel?>(nil)
        static let typeName = "act"

        func run(in context: OperationContext) async throws -> String {
            let channel = OperationChannel(context.call.call)
            Self.channel.update { $0 = channel }
            let own = OperationID(job: JobNumber(UInt32(context.address.job)), index: UInt32(context.address.index))
            do {
                _ = try await channel.wait(for: [.operation(own)], by: own, every: .seconds(60))
                return "waited for itself"
            } catch {
                guard error.refusal?.code == .deadlock else { throw error }
            }
            let job = try await channel.submit(
                Submission(templates: [Template(work: Work(.noOperation))], entries: [Entry()])
            )
            return "\(job.number)"
        }
    }

    /// Runs until it is asked to end, and then returns a value or throws.
    private struct Stay: ClusterOperation {
        /// The marks of the operations that run, or did.
        static let arrivals = Observed<Set<String>>([])
        static let typeName = "stay"
        var mark: String
        var returns: Bool

        func run(in context: OperationContext) async throws -> String {
            Self.arrivals.update { $0.insert(mark) }
            let (events, source) = AsyncStream<Void>.makeStream()
            for await _ in events {}
            withExtendedLifetime(source) {}
            guard returns else { throw CancellationError() }
            return context.isCancelled ? "asked" : "not asked"
        }
    }

    /// Runs a body while a worker of this process runs the types, and ends the worker by cancelling its task.
    private func withWorker(
        in cluster: TestCluster,
        _ body: (_ end: () async throws -> Void) async throws -> Void
    ) async throws {
        var worker = try ClusterWorker(
            coordinator: cluster.endpoint,
            name: "program",
            slots: 2,
            labels: ["kind": "swift"],
            operations: [Measure.self, Add.self, Act.self],
            home: cluster.home.path
        )
        try worker.register(Stay.self)
        worker.drainTimeout = .zero
        let run = Task { [worker] in try await worker.run(untilSignalled: false) }
        let end = {
            run.cancel()
            try await run.value
        }
        do {
            try await body(end)
        } catch {
            try? await end()
            throw error
        }
        try await end()
    }

    @Test("DE20 QU12 A Swift operation sees its dependencies in their order, with absences, and what it belongs to")
    func results() async throws {
        try await withCluster(workers: 0) { cluster in
            try await withWorker(in: cluster) { _ in
                let job = try await cluster.submit(
                    graph: """
                        { queue: "texts", operations: [
                          { name: "sum", type: "add", argument: {}, after: ["b", "word", "none", "a"] },
                          { name: "a", type: "measure", argument: { text: "eins" } },
                          { name: "none", type: "measure", argument: { text: "" } },
                          { name: "word", command: "printf text > $BATON_RESULT" },
                          { name: "b", type: "measure", argument: { text: "zwei drei" } },
                        ] }
                        """
                )
                #expect(try await cluster.wait("\(job)/sum") == 0)
                let report = try JSONDecoder().decode(
                    Add.Report.self,
                    from: Data(try await cluster.baton("result", "\(job)/sum").bytes)
                )
                #expect(report.sizes == [9, nil, 4] && report.commands == ["text"])
                #expect(report.outcomes == [.succeeded, .succeeded, .failed, .succeeded])
                #expect(report.address.description == "\(job)/0" && report.description == "sum 1 program texts")
                let worker = try #require(try await cluster.json("workers").workers.elements.first)
                #expect(worker.worker.string == "program" && worker.labels["kind"].string == "swift")
            }
        }
    }

    @Test("WA3 A Swift operation asks its coordinator as itself, and no more once its client is closed")
    func acts() async throws {
        try await withCluster(workers: 0) { cluster in
            try await withWorker(in: cluster) { _ in
                let job = try await cluster.submit(graph: "{ operations: [{ type: 'act', argument: {} }] }")
                #expect(try await cluster.wait(job) == 0)
                #expect(try await cluster.baton("result", "\(job)/0").output == "\"2\"")
                #expect(try await cluster.wait("2") == 0)
                let channel = try #require(Act.channel.value)
                channel.close()
                let error = await #expect(throws: ClientError.self) { try await channel.document(.workers) }
                #expect(error?.code == .closed)
            }
        }
    }

    @Test("CA16 BL4 A cancelled Swift operation that returns a value has succeeded, and one that throws is cancelled")
    func cancelled() async throws {
        try await withCluster(workers: 0) { cluster in
            try await withWorker(in: cluster) { _ in
                let job = try await cluster.submit(
                    graph: """
                        { operations: [
                          { name: "returns", type: "stay", argument: { mark: "r", returns: true } },
                          { name: "throws", type: "stay", argument: { mark: "t", returns: false } },
                        ] }
                        """
                )
                try await Stay.arrivals.wait { $0.isSuperset(of: ["r", "t"]) }
                #expect(try await cluster.baton("cancel", job).status == 0)
                _ = try await cluster.wait(job)
                let returned = try await cluster.show("\(job)/returns")
                #expect(returned.outcome == "succeeded" && returned.cancelled == true)
                #expect(try await cluster.baton("result", "\(job)/returns").output == "\"asked\"")
                #expect(try await cluster.show("\(job)/throws").outcome == "cancelled")
            }
        }
    }

    @Test("A cancelled task ends its worker in order: what it ran runs again elsewhere, and no loss is counted")
    func ends() async throws {
        try await withCluster(workers: 0) { cluster in
            try await withWorker(in: cluster) { end in
                let job = try await cluster.submit(
                    graph: "{ operations: [{ type: 'stay', argument: { mark: 'e', returns: false } }] }"
                )
                try await Stay.arrivals.wait { $0.contains("e") }
                try await end()
                let operation = try await cluster.show("\(job)/0")
                #expect(operation.state == "ready" && operation.losses == 0)
                #expect(try await cluster.json("workers").workers.elements.isEmpty)
            }
        }
    }
}
