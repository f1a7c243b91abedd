import Foundation
import Testing

/// Operations that occupy slots until their gates are opened.
struct Blockers {
    let job: String
    let gates: [Gate]

    /// Lets some of them go on to their ends.
    func release(_ range: some RangeExpression<Int>) async throws {
        for gate in gates[range] { try await gate.open() }
    }
}

/// What lets a test say in one command what it wants run, and see in one what became of it.
extension TestCluster {
    /// Submits a graph file, and returns the job's number.
    func submit(graph: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> String {
        let file = "graph-\(UUID().uuidString).json"
        try write(graph, to: file)
        let result = try await baton("submit", "--file", file)
        try #require(result.status == 0 && Int(result.line) != nil, "\(result)", sourceLocation: sourceLocation)
        return result.line
    }

    /// Executes operations that stay where they are until their gates are opened.
    ///
    /// With as many as the cluster has slots, nothing else starts before one of the gates is opened; then one slot is free, and what
    /// waits starts one after the other.
    func occupy(_ count: Int, queue: String = "blockers") async throws -> Blockers {
        let name = UUID().uuidString
        let gates = try (0..<count).map { try gate("\(name)-\($0)") }
        let script = waitAtGate("\(name)-{}")
        let job = try await submit(script: script, "--queue", queue, "--array", "0-\(count - 1)")
        for gate in gates { try await gate.arrival() }
        return Blockers(job: job, gates: gates)
    }

    /// Makes sure that a worker has an operation that it has not started.
    func requireSentAhead(_ operation: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let explanation = try await json("explain", operation, sourceLocation: sourceLocation)
        let isSent = explanation.waitsFor.elements.contains { $0.worker != nil }
        try #require(explanation.state == "ready" && isSent, "\(explanation)", sourceLocation: sourceLocation)
    }

    /// Returns once each worker that executes some of the blockers has taken in all that the coordinator had sent it before.
    ///
    /// A worker that is asked for the output of an operation hears of it after what it was sent before, and answers.
    func letWorkersCatchUp(executing blockers: Blockers) async throws {
        var asked: Set<JSONValue> = []
        for operation in try await show(blockers.job).operations.elements where operation.state == "executing" {
            guard asked.insert(operation.worker).inserted else { continue }
            let log = try await baton("log", operation.operation.string)
            try #require(log.status == 0, "\(log)")
        }
    }

    /// What became of the operations of a job, in their order: the outcomes of those that are finished, the states of others.
    func outcomes(of job: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> [String] {
        try await show(job, sourceLocation: sourceLocation).operations.elements.map { operation in
            operation.state == "finished" ? operation.outcome.string : operation.state.string
        }
    }

    /// What `wait` ends with, for a queue.
    func wait(queue: String) async throws -> Int32 {
        try await baton("wait", "--queue", queue).status
    }
}
