@_spi(Baton) import BatonOperations

/// The dependencies of a node on failures, if the node has several (DE9).
///
/// One failure among these dependencies is enough. The node is skipped only if all of them finish without a failure.
struct FailureConditions {
    /// The target of a dependency, regardless of the address in the submission.
    enum Target: Hashable {
        case operation(OperationID)
        case array(OperationID)
        /// The element at the same position of the operations that begin with this one.
        case elements(OperationID)
        case job(JobNumber)
    }

    /// The number of dependencies on failures.
    var total: Int
    /// The endings of the dependencies that finished without a failure.
    var ruledOut: [Target: Ending] = [:]

    /// Whether no dependency can fail any more.
    var areRuledOut: Bool { total > 0 && ruledOut.count == total }
}

extension Graph {
    /// The target of a dependency of one of a job's operations.
    func failureTarget(of target: Dependency.Target, job: JobIndex) -> FailureConditions.Target {
        switch target {
        case .entry(let entry):
            let first = OperationID(job: self[job].number, index: self[job].entries[entry].first)
            return self[job].entries[entry].array != nil ? .array(first) : .operation(first)
        case .element, .elements, .existingElements:
            let address = address(of: target, job: job)
            guard case .operations(let number, let range) = address else { return .job(address.job) }
            return .elements(OperationID(job: number, index: range.lowerBound))
        case .existing(.operation(let id)): return .operation(id)
        case .existing(let address): return .job(address.job)
        }
    }

    /// The target of dependencies that a finished subject is.
    func failureTarget(of subject: Subject) -> FailureConditions.Target {
        switch subject {
        case .operation(let node, _): .operation(id(of: node))
        case .array(let entry, let job, _): failureTarget(of: .entry(entry), job: job)
        case .job(let job, _): .job(self[job].number)
        }
    }

    /// Notes the end of a dependency without the failure that a node waits for.
    ///
    /// - Returns: the ending for which the node is to be skipped if no dependency can fail any more, else nil. The ending is
    ///   the first cancellation in the order of the dependencies, or `notNeeded`.
    /// - Complexity: O(1) for each dependency but the first and the last, which cost O(the node's dependencies).
    mutating func ruleOutFailure(of target: FailureConditions.Target, _ ending: Ending, for index: NodeIndex) -> Ending?
    {
        if failureConditions[index] == nil {
            let total = failureConditionCount(of: index)
            guard total > 1 else { return Self.skip(afterOnly: ending) }
            failureConditions[index] = FailureConditions(total: total)
        }
        failureConditions[index]?.ruledOut[target] = ending
        return failureVerdict(of: index)
    }

    /// The ending for which a node is to be skipped if none of its several dependencies can fail any more, else nil.
    func failureVerdict(of index: NodeIndex) -> Ending? {
        guard let conditions = failureConditions[index], conditions.areRuledOut else { return nil }
        let node = self[index]
        for dependency in dependencies(of: node) where dependency.condition == .failure {
            let ending = conditions.ruledOut[failureTarget(of: dependency.target, job: node.job)]
            if case .cancelled? = ending { return ending }
        }
        return .notNeeded
    }

    /// Adjusts a node's failure conditions after a change of its dependencies.
    ///
    /// - Parameter dropped: the dependencies that were removed.
    mutating func updateFailureConditions(of index: NodeIndex, without dropped: [Dependency] = []) {
        guard failureConditions[index] != nil else { return }
        for dependency in dropped where dependency.condition == .failure {
            let target = failureTarget(of: dependency.target, job: self[index].job)
            failureConditions[index]?.ruledOut[target] = nil
        }
        let total = failureConditionCount(of: index)
        failureConditions[index]?.total = total
    }

    /// Copies a block's failure conditions to a node that was split off the block.
    mutating func shareFailureConditions(of block: NodeIndex, with index: NodeIndex) {
        // Nearly always, the table is empty.
        guard !failureConditions.isEmpty else { return }
        let known = failureConditions[block]
        failureConditions[index] = known
    }

    /// Notes the end of one dependency of a node.
    ///
    /// - Parameter target: the dependency, if the failure of one of several is enough.
    /// - Returns: the ending for which the node is to be skipped if the condition cannot hold any more; else nil.
    mutating func ruleOut(
        _ condition: DependencyCondition,
        after ending: Ending,
        of target: FailureConditions.Target,
        for index: NodeIndex
    ) -> Ending? {
        switch condition {
        case .any: nil
        case .success: ending == .succeeded ? nil : ending
        case .failure: ending.isFailure ? nil : ruleOutFailure(of: target, ending, for: index)
        case .failureOfAll: ending.isFailure ? nil : Self.skip(afterOnly: ending)
        }
    }

    /// Lets a node know the end of a dependency by another name.
    mutating func renameFailure(
        of target: FailureConditions.Target,
        to other: FailureConditions.Target,
        for index: NodeIndex
    ) {
        guard let ending = failureConditions[index]?.ruledOut.removeValue(forKey: target) else { return }
        failureConditions[index]?.ruledOut[other] = ending
    }

    /// Whether the failure of one of several dependencies is enough for a node.
    func waitsForOneFailureOfSeveral(_ index: NodeIndex) -> Bool { failureConditionCount(of: index) > 1 }

    private func failureConditionCount(of index: NodeIndex) -> Int {
        let node = self[index]
        return dependencies(of: node).count { $0.condition == .failure }
    }

    /// The ending for which a node is skipped after a dependency on whose failure alone it depends has not failed.
    static func skip(afterOnly ending: Ending) -> Ending {
        if case .cancelled = ending { ending } else { .notNeeded }
    }
}
