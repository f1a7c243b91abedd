@_spi(Baton) import BatonOperations

/// Makes jobs with random outcomes and changed dependencies, and a different command for each operation.
struct RandomJob {
    private var generator: SplitMix

    init(seed: UInt64) {
        generator = SplitMix(seed: seed)
    }

    mutating func make(
        _ number: JobNumber
    ) -> (job: JobRecord, fates: [OperationFate], changed: [UInt32: [Dependency]]) {
        var entries: [Entry] = []
        for position in 0..<chance(1...7) {
            let length = chance(1...6)
            let values: [ArrayValues?] = [
                nil, nil, .numbers(first: 0, step: 1, count: length), .lines((0..<length).map { "line \($0)" }),
                .picked((0..<length).map { .init(number: Int64($0), item: "item \($0)") }),
            ]
            let array = values[chance(0...4)]
            // Earlier entries only, to avoid cycles; the order of the numbers does not matter.
            let dependencies = (0..<(position == 0 ? 0 : chance(0...3))).map { _ in
                let target = chance(0...position - 1)
                return Dependency(on: .entry(target), condition: condition())
            }
            entries.append(
                Entry(
                    name: chance(0...1) == 0 ? nil : "e\(position)",
                    template: position,
                    queue: chance(0...1),
                    delay: chance(0...1) == 0 ? nil : .seconds(1),
                    isHeld: chance(0...3) == 0,
                    isBarrier: array == nil && chance(0...3) == 0,
                    dependencies: dependencies,
                    array: array
                )
            )
        }
        let submission = Submission(
            name: "random",
            key: "key",
            queueNames: ["p", "q"],
            templates: entries.indices.map { Template(work: Work(.commands([["\($0)"]]))) },
            entries: entries
        )
        let job = JobRecord(number: number, submittedAt: Timestamp(rawValue: 1), order: 1, submission: submission)
        let fates = (0..<submission.operationCount).map { _ in
            let outcomes: [Outcome?] = [nil, .succeeded, .succeeded, .failed, .cancelled, .skipped]
            let skips: [OperationFate.Skip] = [.failure, .cancellation, .notNeeded]
            var fate = OperationFate(
                outcome: outcomes[chance(0...5)],
                hasResult: chance(0...1) == 0,
                skip: skips[chance(0...2)]
            )
            fate.hasFiles = chance(0...3) == 0
            return fate
        }
        return (job, fates, changes(job))
    }

    /// Changed dependencies for some operations, on earlier single operations.
    private mutating func changes(_ job: JobRecord) -> [UInt32: [Dependency]] {
        var changed: [UInt32: [Dependency]] = [:]
        guard chance(0...1) == 0 else { return changed }
        for index in 1..<UInt32(max(2, job.submission.operationCount)) where chance(0...3) == 0 {
            changed[index] = (0..<chance(0...3)).map { _ in
                let target = OperationID(job: job.number, index: UInt32(chance(0...Int(index) - 1)))
                return Dependency(on: .existing(.operation(target)), condition: condition())
            }
        }
        return changed
    }

    private mutating func condition() -> DependencyCondition {
        [.any, .success, .failure][chance(0...2)]
    }

    /// A random selection for a retry of the job.
    mutating func selection(_ job: JobRecord) -> RetrySelection {
        let count = UInt32(job.submission.operationCount)
        let named = chance(0...1) == 0 ? 0 : chance(1...3)
        return RetrySelection(
            operations: (0..<named).map { _ in
                let first = UInt32(chance(0...Int(count) - 1))
                return first..<min(count, first + UInt32(chance(1...3)))
            },
            includesCancelled: chance(0...1) == 0,
            includesDependents: chance(0...1) == 0
        )
    }

    private mutating func chance(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
}

/// The expected retry, operation by operation: slow, and simple.
struct RetryModel {
    /// The command of an operation, different from all other operations.
    struct Identity: Hashable {
        var command: String
        var number: Int64?
        var item: String?
    }

    /// A dependency between two single operations; a target that is not retried keeps its address.
    struct Edge: Hashable {
        var target: Identity
        var isExisting: Bool
        var condition: DependencyCondition
    }

    private let job: JobRecord
    private let fates: [OperationFate]
    private let changed: [UInt32: [Dependency]]
    /// All operations of the job with their entries, in the order of the indices.
    private var operations: [(identity: Identity, entry: Int)] = []

    init(job: JobRecord, fates: [OperationFate], changed: [UInt32: [Dependency]], selection: RetrySelection) {
        self.job = job
        self.fates = fates
        self.changed = changed
        for entry in job.submission.entries.indices {
            operations += Self.identities(of: entry, in: job.submission).map { ($0, entry) }
        }
        let meant = operations.indices.filter { fates[$0].isRetried(withCancelled: selection.includesCancelled) }
        retried = Set(meant)
        if !selection.operations.isEmpty {
            retried.formIntersection(selection.operations.joined().map { Int($0) })
            repeatUntilNothingChanges { model in
                for index in model.retried {
                    for dependency in model.dependencies(of: index) where dependency.condition == .success {
                        model.retried.formUnion(model.allTargets(of: dependency.target).filter { meant.contains($0) })
                    }
                }
            }
        }
        guard selection.includesDependents else { return }
        repeatUntilNothingChanges { model in
            for index in model.operations.indices where fates[index].outcome != nil {
                if fates[index].isCancelled, !selection.includesCancelled { continue }
                let targets = model.dependencies(of: index).flatMap { model.allTargets(of: $0.target) }
                if !model.retried.isDisjoint(with: targets) { model.retried.insert(index) }
            }
        }
    }

    private mutating func repeatUntilNothingChanges(_ change: (inout RetryModel) -> Void) {
        var count = 0
        repeat {
            count = retried.count
            change(&self)
        } while retried.count > count
    }

    private func dependencies(of index: Int) -> [Dependency] {
        changed[UInt32(index)] ?? Array(job.submission.entries[operations[index].entry].dependencies)
    }

    private static func identities(of entry: Int, in submission: Submission) -> [Identity] {
        let submitted = submission.entries[entry]
        guard case .commands(let commands) = submission.templates[submitted.template].work.kind else { return [] }
        guard let array = submitted.array else { return [Identity(command: commands[0][0])] }
        return (0..<array.count).map {
            Identity(command: commands[0][0], number: array.number(at: $0), item: array.item(at: $0))
        }
    }

    /// The indices that are retried.
    private(set) var retried: Set<Int> = []

    /// The dependencies that each retried operation has to have, single operation by single operation.
    var expected: [Identity: Set<Edge>] {
        var result: [Identity: Set<Edge>] = [:]
        for index in retried {
            var edges: Set<Edge> = []
            for dependency in dependencies(of: index) {
                for target in targets(of: dependency) {
                    edges.insert(
                        Edge(
                            target: operations[target].identity,
                            isExisting: !retried.contains(target),
                            condition: dependency.condition
                        )
                    )
                }
            }
            result[operations[index].identity] = edges
        }
        return result
    }

    private func targets(of dependency: Dependency) -> [Int] {
        let all = allTargets(of: dependency.target)
        guard case .entry(let entry) = dependency.target, job.submission.entries[entry].array != nil else { return all }
        let those = all.filter { index in
            let fate = fates[index]
            return retried.contains(index)
                || !fate.isNotNeeded && (fate.outcome != .succeeded || fate.hasResult || fate.hasFiles)
        }
        guard those.isEmpty else { return those }
        switch dependency.condition {
        case .any: return []
        case .success: return all.allSatisfy { fates[$0].isNotNeeded } ? [all[0]] : []
        case .failure, .failureOfAll: return [all[0]]
        }
    }

    private func allTargets(of target: Dependency.Target) -> [Int] {
        switch target {
        case .existing(.operation(let id)): [Int(id.index)]
        case .existing, .element, .elements, .existingElements: []
        case .entry(let entry): operations.indices.filter { operations[$0].entry == entry }
        }
    }

    /// The dependencies of a retry's operations, for each single operation; nil after a repeated operation.
    func dependencies(in retry: Submission) -> [Identity: Set<Edge>]? {
        var result: [Identity: Set<Edge>] = [:]
        for entry in retry.entries.indices {
            var edges: Set<Edge> = []
            for dependency in retry.entries[entry].dependencies {
                switch dependency.target {
                case .entry(let target):
                    for identity in Self.identities(of: target, in: retry) {
                        edges.insert(Edge(target: identity, isExisting: false, condition: dependency.condition))
                    }
                case .existing(.operation(let id)):
                    let target = operations[Int(id.index)].identity
                    edges.insert(Edge(target: target, isExisting: true, condition: dependency.condition))
                case .existing, .element, .elements, .existingElements: return nil
                }
            }
            for identity in Self.identities(of: entry, in: retry) {
                guard result.updateValue(edges, forKey: identity) == nil else { return nil }
            }
        }
        return result
    }
}
