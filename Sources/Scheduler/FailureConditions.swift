import BatonOperations

/// The dependencies of a node that ask for a failure, where there are several: one failure is enough, and they rule it out
/// together (DE9).
struct FailureConditions {
    /// What a dependency is on, however its submission named it.
    enum Target: Hashable {
        case operation(OperationID)
        case array(OperationID)
        case job(JobNumber)
    }

    /// How many there are.
    var total: Int
    /// Those of them that are finished without a failure, with what became of them.
    var ruledOut: [Target: Ending] = [:]

    /// Whether none of them can fail any more.
    var areRuledOut: Bool { total > 0 && ruledOut.count == total }
}

extension Scheduler {
    /// What a dependency of one of a job's operations is on.
    func failureTarget(of target: Dependency.Target, job: Int32) -> FailureConditions.Target {
        switch target {
        case .entry(let entry):
            let first = OperationID(job: jobs[job].number, index: jobs[job].entries[entry].first)
            return jobs[job].entries[entry].array >= 0 ? .array(first) : .operation(first)
        case .existing(.operation(let id)): return .operation(id)
        case .existing(let address): return .job(address.job)
        }
    }

    /// Notes that a dependency that was to fail has not.
    ///
    /// - Returns: what the node is to be skipped for, where none of them can fail any more: the first in their order that was
    ///   cancelled, or nothing.
    /// - Complexity: O(1) for each dependency but the first and the last, which cost O(the node's dependencies).
    mutating func ruleOutFailure(of target: FailureConditions.Target, _ ending: Ending, for place: Int32) -> Ending? {
        if failureConditions[place] == nil {
            let total = failureConditionCount(of: place)
            guard total > 1 else { return Self.skip(afterOnly: ending) }
            failureConditions[place] = FailureConditions(total: total)
        }
        failureConditions[place]?.ruledOut[target] = ending
        return failureVerdict(of: place)
    }

    /// What a node is to be skipped for, where none of several dependencies can fail any more.
    func failureVerdict(of place: Int32) -> Ending? {
        guard let conditions = failureConditions[place], conditions.areRuledOut else { return nil }
        let node = nodes[place]
        for dependency in dependencies(of: node) where dependency.condition == .failure {
            let ending = conditions.ruledOut[failureTarget(of: dependency.target, job: node.job)]
            if case .cancelled? = ending { return ending }
        }
        return .notNeeded
    }

    /// Adjusts what is known of a node's dependencies to those that it has now.
    ///
    /// - Parameter dropped: those that it has no longer.
    mutating func updateFailureConditions(of place: Int32, without dropped: [Dependency] = []) {
        guard failureConditions[place] != nil else { return }
        for dependency in dropped where dependency.condition == .failure {
            let target = failureTarget(of: dependency.target, job: nodes[place].job)
            failureConditions[place]?.ruledOut[target] = nil
        }
        let total = failureConditionCount(of: place)
        failureConditions[place]?.total = total
    }

    /// Lets a node that is made of another one know what that knows.
    mutating func shareFailureConditions(of block: Int32, with place: Int32) {
        // Nearly always there are none.
        guard !failureConditions.isEmpty else { return }
        let known = failureConditions[block]
        failureConditions[place] = known
    }

    private func failureConditionCount(of place: Int32) -> Int {
        let node = nodes[place]
        return dependencies(of: node).count { $0.condition == .failure }
    }

    /// What follows of the end of the only dependency that was to fail.
    private static func skip(afterOnly ending: Ending) -> Ending {
        if case .cancelled = ending { ending } else { .notNeeded }
    }
}
