import Foundation
import Testing

/// Actions that tests of the contract repeat.
extension TestCluster {
    /// The program under test, for scripts of operations.
    static var baton: String { "'\(program)'" }

    /// Runs operations that are added last, until they have taken every slot of every worker, and are finished.
    ///
    /// Earlier operations that could have started by then have started by then.
    func useAllSlots(of shape: ClusterShape) async throws {
        let later = try await occupy(shape.slots, queue: "later")
        try await later.release(0...)
        #expect(try await wait(later.job) == 0)
    }

    /// The shell command that waits from within an operation, and leaves the status and the error for ``ended(_:)``.
    func wait(for target: String, as name: String) -> String {
        let file = "'\(home.path)/'\(name)"
        return "\(Self.baton) wait \(target) --json > \(file).output 2> \(file).errors; echo $? > \(file).status"
    }

    /// The exit status of a wait in an operation, and its error.
    func ended(_ name: String) throws -> (status: String, error: JSONValue) {
        let errors = read("\(name).errors")
        let status = read("\(name).status").trimmingCharacters(in: .newlines)
        return (status, try errors.isEmpty ? .null : JSONValue(parsing: errors).error)
    }

    /// Makes a key for somebody else, and returns its line.
    func authorize(_ name: String, as role: String) async throws -> String {
        let result = try await baton("authorize", "--role", role, name, "--address", endpoint)
        try #require(result.status == 0, "\(result)")
        return result.line
    }

    /// Requests a change, and expects the given count of changed operations or queues, and an answer of all workers.
    func change(
        _ arguments: String...,
        count: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let result = try await baton(arguments + ["--json"])
        try #require(result.status == 0, "\(result)", sourceLocation: sourceLocation)
        let report = try JSONValue(parsing: result.output)
        let changed = arguments.contains("cancel") ? report.cancelled : report.changed
        #expect(changed.int == count, "\(arguments): \(result)", sourceLocation: sourceLocation)
        #expect(report.unanswered == [], "\(arguments): \(result)", sourceLocation: sourceLocation)
    }
}

/// Operations that were sent to workers without a free slot.
extension TestCluster {
    /// The operations of a job that were sent to a worker and have not started there, with the names of the workers.
    func sentAhead(of job: String) async throws -> [String: String] {
        var result: [String: String] = [:]
        for operation in try await show(job).operations.elements where operation.state == "ready" {
            let reasons = try await json("explain", operation.operation.string).waitsFor.elements
            if let worker = reasons.lazy.map(\.worker.string).first(where: { !$0.isEmpty }) {
                result[operation.operation.string] = worker
            }
        }
        return result
    }
}

/// Completion hooks, for which no command waits.
extension TestCluster {
    /// Runs a hook that is requested last, and returns once the hook runs: by then, all earlier hooks run.
    func runAnotherHook() async throws {
        let gate = try gate()
        let job = try await submit("--hold", "--on-finish", gate.checkIn, "--", "true")
        try await change("cancel", job, count: 1)
        try await gate.open()
    }

    /// A process that prints the given number of lines from a pipe, and ends.
    func collect(_ count: Int, at pipe: Gate) throws -> ChildProcess {
        // Open the pipe for writing as well, so that the process does not end with the first writer.
        try start(script: "exec 3<> '\(pipe.path)'; head -n \(count) <&3")
    }
}

extension JSONValue {
    /// The paths at which two documents differ, with both values.
    func differences(from other: JSONValue, at path: String = "$") -> [String] {
        switch (self, other) {
        case (.object(let own), .object(let others)):
            Set(own.keys).union(others.keys).sorted().flatMap { key in
                self[key].differences(from: other[key], at: "\(path).\(key)")
            }
        case (.array(let own), .array(let others)) where own.count == others.count:
            own.indices.flatMap { own[$0].differences(from: others[$0], at: "\(path)[\($0)]") }
        default:
            self == other ? [] : ["\(path): \(self), \(other)"]
        }
    }
}
