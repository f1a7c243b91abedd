import Foundation
import Testing

/// Operations that occupy slots until the test opens the gates.
struct Blockers {
    let job: String
    let gates: [Gate]

    /// Lets some of the operations go on to their ends.
    func release(_ range: some RangeExpression<Int>) async throws {
        for gate in gates[range] { try await gate.open() }
    }
}

/// Submission of graphs, and a view of the outcomes, in one command each.
extension TestCluster {
    /// Submits a graph file, and returns the job's number.
    func submit(graph: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> String {
        let file = "graph-\(UUID().uuidString).json"
        try write(graph, to: file)
        let result = try await baton("submit", "--file", file)
        try #require(result.status == 0 && Int(result.line) != nil, "\(result)", sourceLocation: sourceLocation)
        return result.line
    }

    /// Executes operations that wait until their gates are opened.
    ///
    /// With as many blockers as slots, no other operation starts before a gate is opened. Then one slot is free, and
    /// the waiting operations start one after the other.
    func occupy(_ count: Int, queue: String = "blockers") async throws -> Blockers {
        let name = UUID().uuidString
        let gates = try (0..<count).map { try gate("\(name)-\($0)") }
        let script = waitAtGate("\(name)-{}")
        let job = try await submit(script: script, "--queue", queue, "--array", "0-\(count - 1)")
        for gate in gates { try await gate.arrival() }
        return Blockers(job: job, gates: gates)
    }

    /// Requires that a worker holds an unstarted operation.
    func requireSentAhead(_ operation: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let explanation = try await json("explain", operation, sourceLocation: sourceLocation)
        let isSent = explanation.waitsFor.elements.contains { $0.worker != nil }
        try #require(explanation.state == "ready" && isSent, "\(explanation)", sourceLocation: sourceLocation)
    }

    /// Returns once each worker that executes blockers has read all earlier messages of the coordinator.
    ///
    /// The coordinator's request for the output of an operation follows all earlier messages, and the worker answers.
    func letWorkersCatchUp(executing blockers: Blockers) async throws {
        var asked: Set<JSONValue> = []
        for operation in try await show(blockers.job).operations.elements where operation.state == "executing" {
            guard asked.insert(operation.worker).inserted else { continue }
            let log = try await baton("log", operation.operation.string)
            try #require(log.status == 0, "\(log)")
        }
    }

    /// The outcomes of a job's operations in their order, with the state of each unfinished operation.
    func outcomes(of job: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> [String] {
        try await show(job, sourceLocation: sourceLocation).operations.elements.map { operation in
            operation.state == "finished" ? operation.outcome.string : operation.state.string
        }
    }

    /// The exit status of `wait` for a queue.
    func wait(queue: String) async throws -> Int32 {
        try await baton("wait", "--queue", queue).status
    }
}
