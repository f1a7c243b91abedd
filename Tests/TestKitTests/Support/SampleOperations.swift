import Baton
import Synchronization

/// Returns its argument.
struct Echo: ClusterOperation {
    static let typeName = "echo"
    var text: String

    func run(in _: OperationContext) async throws -> String { text }
}

/// Joins the texts of its dependencies.
struct Join: ClusterOperation {
    static let typeName = "join"

    func run(in context: OperationContext) async throws -> String {
        try context.results(of: Echo.self).map { $0 ?? "-" }.joined(separator: " ")
    }
}

/// Throws.
struct Fail: ClusterOperation {
    struct Jam: Error, CustomStringConvertible {
        let description = "Paper jam."
    }

    static let typeName = "fail"
    /// The number of attempts that fail.
    var times = Int.max

    func run(in context: OperationContext) async throws {
        if context.attempt <= times { throw Jam() }
    }
}

/// Waits at a gate of the test.
struct Wait: ClusterOperation {
    static let typeName = "wait"
    private static let gates = Mutex<[String: Gate]>([:])

    /// The name of the gate.
    var gate: String

    /// The gate with a name.
    static func gate(_ name: String) -> Gate {
        gates.withLock { gates in
            let gate = gates[name] ?? Gate()
            gates[name] = gate
            return gate
        }
    }

    func run(in context: OperationContext) async throws -> Int {
        context.report(progress: 0.25, "waits")
        try await Self.gate(gate).pass()
        return context.attempt
    }
}

/// Adds an ``Echo`` to the queue that it is in, and waits for the output.
struct Delegate: ClusterOperation {
    static let typeName = "delegate"
    var text: String

    func run(in context: OperationContext) async throws -> String {
        let other = try await context.queue.addOperation(Echo(text: text))
        return try await other.value + " by another"
    }
}

/// Adds another operation without waiting for anything.
struct Leave: ClusterOperation {
    static let typeName = "leave"
    var queue: String

    func run(in context: OperationContext) async throws {
        let queue = context.cluster.queue(queue)
        Self.add(to: queue)
    }

    private static func add(to queue: DistributedOperationQueue) {
        _ = try? queue.addOperation(Echo(text: "left"))
    }
}

/// Waits for everything in its own queue, and so for itself.
struct WaitForItself: ClusterOperation {
    static let typeName = "wait-for-itself"

    func run(in context: OperationContext) async throws {
        try await context.queue.waitUntilAllOperationsAreFinished()
    }
}

/// The types above.
let sampleOperations: [any ClusterOperation.Type] = [
    Echo.self, Join.self, Fail.self, Wait.self, Delegate.self, Leave.self, WaitForItself.self,
]
