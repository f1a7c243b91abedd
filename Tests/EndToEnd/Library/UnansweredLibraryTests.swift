import Baton
import Foundation
import Testing

@Suite("The library: answers that do not come, and what operations say last", .timeLimit(.minutes(60)))
struct UnansweredLibraryTests {
    private var impatient: Cluster.Options {
        var options = Cluster.Options()
        options.awayLimit = .zero
        return options
    }

    @Test(
        "L4 An addition that a stopped coordinator does not answer runs once, although it is added twice",
        arguments: [1, 3]
    )
    func stopped(count: Int) async throws {
        try await withCluster(workers: 1) { cluster in
            let client = try cluster.client(impatient)
            let queue = client.queue("once")
            try await queue.addOperation(DistributedOperation())
            let operations = (0..<count).map { CommandOperation(shell: cluster.note("run\($0)")) }
            try #require(cluster.coordinator).pause()
            let error = await #expect(throws: ClusterError.self) { try await queue.addOperations(operations) }
            #expect(error?.code == .lost, "\(String(describing: error))")
            let other = await #expect(throws: ClusterError.self) {
                try await queue.addOperations(operations.reversed() + [DistributedOperation()])
            }
            #expect(other?.code == .uncertain)
            cluster.coordinator?.signal(SIGCONT)
            let job = try await repeated { try await queue.addOperations(operations) }
            #expect(try await job.waitUntilFinished() == .succeeded)
            #expect(operations.map { $0.address?.job } == Array(repeating: job.number, count: count))
            #expect(cluster.notes.sorted() == (0..<count).map { "run\($0)" })
        }
    }

    @Test("L4 A synchronous addition without an answer is not finished, and the next flush asks again")
    func synchronous() async throws {
        try await withCluster(workers: 1) { cluster in
            let client = try cluster.client(impatient)
            let queue = client.queue("once")
            try await queue.addOperation(DistributedOperation())
            let operation = CommandOperation(shell: cluster.note("run"))
            try #require(cluster.coordinator).pause()
            let error = await #expect(throws: ClusterError.self) {
                try await blockingly {
                    try queue.addOperation(operation)
                    try client.flush()
                }
            }
            #expect(error?.code == .lost, "\(String(describing: error))")
            #expect(!operation.isFinished && operation.outcome == nil && operation.error == nil)
            cluster.coordinator?.signal(SIGCONT)
            try await repeated { try await client.flush() }
            #expect(try await operation.waitUntilFinished() == .succeeded)
            #expect(cluster.notes == ["run"])
        }
    }

    /// Repeats a call as long as the coordinator is away.
    private func repeated<Value>(_ call: () async throws -> Value) async throws -> Value {
        while true {
            do {
                return try await call()
            } catch let error as ClusterError where error.code == .lost {
                await Task.yield()
            }
        }
    }

    @Test("L13 A client that an operation makes for itself waits as the operation")
    func ownClient() async throws {
        try await withCluster(workers: 0) { cluster in
            try await cluster.withSwiftWorker {
                let operation = RemoteOperation(WaitForItself(home: cluster.home.path))
                try await cluster.client().queue().addOperation(operation)
                #expect(try await operation.value == "deadlock")
            }
        }
    }

    @Test("PG4 The last report of an attempt is told, however short before its end")
    func lastReport() async throws {
        try await withCluster(workers: 0) { cluster in
            try await cluster.withSwiftWorker {
                let client = try cluster.client()
                for _ in 0..<5 {
                    let operation = RemoteOperation(ReportLast())
                    try await client.queue().addOperation(operation)
                    #expect(try await operation.waitUntilFinished() == .succeeded)
                }
                var last: [OperationAddress: OperationChange] = [:]
                var ended = 0
                for try await event in client.events(since: 0) {
                    guard case .operation(let address, _, let change) = event.kind else { continue }
                    if case .progress = change { last[address] = change }
                    if case .state(.finished, _, _, _) = change { ended += 1 }
                    if ended == 5 { break }
                }
                #expect(
                    last.count == 5 && last.values.allSatisfy { $0 == .progress(0.9, message: "step 9") },
                    "\(last)"
                )
            }
        }
    }
}
