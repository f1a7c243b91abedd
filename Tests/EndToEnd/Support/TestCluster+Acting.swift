import Foundation
import Testing

/// What tests of the contract do again and again.
extension TestCluster {
    /// The program under test, for scripts of operations.
    static var baton: String { "'\(program)'" }

    /// Runs operations that were added last, until they have taken every slot of every worker, and are finished.
    ///
    /// What was added before, and could have started by then, has started by then.
    func useAllSlots(of shape: ClusterShape) async throws {
        let later = try await occupy(shape.slots, queue: "later")
        try await later.release(0...)
        #expect(try await wait(later.job) == 0)
    }

    /// The shell command that waits for something from within an operation, and leaves what that ended with to
    /// ``ended(_:)``.
    func wait(for target: String, as name: String) -> String {
        let file = "'\(home.path)/'\(name)"
        return "\(Self.baton) wait \(target) --json > \(file).output 2> \(file).errors; echo $? > \(file).status"
    }

    /// The status with which a wait in an operation ended, and the error that it told.
    func ended(_ name: String) throws -> (status: String, error: JSONValue) {
        let errors = read("\(name).errors")
        let status = read("\(name).status").trimmingCharacters(in: .newlines)
        return (status, try errors.isEmpty ? .null : JSONValue(parsing: errors).error)
    }

    /// Asks for a change, and expects that it concerns so many operations or queues, and that all workers have answered.
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

/// What was sent to workers that have no slot for it yet.
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

/// What completion hooks do, for which no command waits.
extension TestCluster {
    /// Runs a hook that is asked for last, and returns once it runs: one that was asked for before runs by then.
    func runAnotherHook() async throws {
        let gate = try gate()
        let job = try await submit("--hold", "--on-finish", gate.checkIn, "--", "true")
        try await change("cancel", job, count: 1)
        try await gate.open()
    }

    /// A process that ends once so many lines were written into a pipe, which are its output.
    func collect(_ count: Int, at pipe: Gate) throws -> ChildProcess {
        // Open for writing as well, so that it does not end with the first one who writes.
        try start(script: "exec 3<> '\(pipe.path)'; head -n \(count) <&3")
    }
}

extension JSONValue {
    /// Where two documents differ, with both values.
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
