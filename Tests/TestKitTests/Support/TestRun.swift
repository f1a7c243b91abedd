@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
import Foundation
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonWorker

@testable import BatonTestKit

/// A test with a cluster, at the level of requests and functions.
struct TestRun: Sendable {
    let test: TestCluster
    let channel: any RequestChannel

    /// Runs a test on a cluster with a worker `w1` of these functions; no worker with 0 slots.
    static func run(
        slots: Int = 1,
        _ functions: [String: OperationTypes.Function] = [:],
        isolation: isolated (any Actor)? = #isolation,
        _ body: (TestRun) async throws -> Void
    ) async throws {
        try await withTestCluster(slots: 0) { test in
            let run = TestRun(test: test, channel: test.channel())
            if slots > 0 { try await run.addWorker("w1", slots: slots, functions) }
            try await body(run)
            #expect(test.violations == [])
        }
    }

    /// Adds a worker of functions.
    func addWorker(_ name: String, slots: Int = 1, _ functions: [String: OperationTypes.Function]) async throws {
        var types = OperationTypes()
        for (type, function) in functions { try types.register(type, function) }
        try await test.addWorker(name, slots: slots, types: types)
    }
}

/// One operation of a submission.
struct Planned: Sendable {
    var work: Work
    var name: String?
    var priority = Priority.normal
    var delay: Duration?
    var isBarrier = false
    /// The positions of operations that have to be finished before.
    var after: [Int] = []
    /// The positions of operations that have to succeed before.
    var needs: [Int] = []
    var retries: UInt16 = 0
    var retryDelay = Duration.seconds(1)

    init(_ type: String, _ argument: String = "", timeout: Duration? = nil) {
        work = Work(.typed(type: type, argument: Array(argument.utf8)), timeout: timeout)
    }

    init(_ kind: Work.Kind) {
        work = Work(kind)
    }

    func named(_ name: String) -> Planned { with { $0.name = name } }

    func with(_ change: (inout Planned) -> Void) -> Planned {
        var changed = self
        change(&changed)
        return changed
    }
}

extension TestRun {
    /// Submits operations as one job.
    @discardableResult
    func submit(_ operations: [Planned], queue: String = "default", key: String? = nil) async throws -> JobNumber {
        try await channel.submit(Self.submission(operations, queue: queue, key: key)).number
    }

    static func submission(_ operations: [Planned], queue: String = "default", key: String? = nil) -> Submission {
        Submission(
            key: key,
            queueNames: [queue],
            templates: operations.map { Template(work: $0.work, retries: $0.retries, retryDelay: $0.retryDelay) },
            entries: operations.enumerated().map { position, operation in
                Entry(
                    name: operation.name,
                    template: position,
                    priority: operation.priority,
                    delay: operation.delay,
                    isBarrier: operation.isBarrier,
                    dependencies: operation.after.map { Dependency(on: .entry($0), condition: .any) }
                        + operation.needs.map { Dependency(on: .entry($0), condition: .success) }
                )
            }
        )
    }

    func operation(_ job: JobNumber, _ index: UInt32 = 0) async throws -> OperationDocument {
        let address = Address.operation(OperationID(job: job, index: index))
        let bytes = try await channel.document(.operation(address))
        return try JSONDecoder().decode(OperationDocument.self, from: Data(bytes))
    }

    /// The states of a job's operations, in the order of the operations.
    func states(_ job: JobNumber, _ count: UInt32) async throws -> [OperationState] {
        var states: [OperationState] = []
        for index in 0..<count { states.append(try await operation(job, index).state) }
        return states
    }
}
