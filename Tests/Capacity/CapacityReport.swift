/// What a run has found.
package struct CapacityReport: Hashable, Sendable {
    /// What was measured.
    package let plan: CapacityPlan
    /// The parts of the run, in their order.
    package let phases: [Phase]
    /// How long the takeover took; nil for a run without one.
    package let failover: Failover?
    /// How many starts of operations there were at the workers.
    package let started: Int
    /// How many of them were not the first of their operation.
    package let startedAgain: Int
    /// How many ends were acknowledged to workers.
    package let ended: Int
    /// How many of them were not the first of their operation.
    package let endedAgain: Int
    /// How many operations have no acknowledged end.
    package let unended: Int
    /// How many operations succeeded, by the record.
    package let recorded: Int
    /// How many jobs are not finished, by the record.
    package let unfinishedJobs: Int
    /// What must not happen, and has happened.
    package let violations: [String]

    /// What does not add up; empty for a run in which each operation ran once and is recorded.
    package var contradictions: [String] {
        var found = violations
        func expect(_ count: Int, _ expected: Int, _ what: String) {
            if count != expected { found.append("\(what): \(count) instead of \(expected)") }
        }
        expect(started, plan.operations, "starts of operations")
        expect(startedAgain, 0, "operations that started again")
        expect(ended, plan.operations, "acknowledged ends")
        expect(endedAgain, 0, "operations that ended again")
        expect(unended, 0, "operations without an end")
        expect(recorded, plan.operations, "operations that succeeded by the record")
        expect(unfinishedJobs, 0, "unfinished jobs by the record")
        expect(phases.reduce(0) { $0 + $1.ended }, plan.operations, "ends in all parts")
        return found
    }

    /// The parts of the run of a kind.
    package subscript(kind: Phase.Kind) -> Phase? { phases.first { $0.kind == kind } }
}
