import Foundation
import Testing

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

    /// Executes operations that stay where they are until their gates are opened, and returns the gates of all.
    ///
    /// With as many as the cluster has slots, nothing else starts before one of the gates is opened; then one slot is free, and what
    /// waits starts one after the other.
    func occupy(_ count: Int, queue: String = "blockers") async throws -> [Gate] {
        let name = UUID().uuidString
        let gates = try (0..<count).map { try gate("\(name)-\($0)") }
        let script = "{ read x < '\(home.path)/gate-\(name)-{}' || :; }"
        _ = try await submit(script: script, "--queue", queue, "--array", "0-\(count - 1)")
        for gate in gates { try await gate.arrival() }
        return gates
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
