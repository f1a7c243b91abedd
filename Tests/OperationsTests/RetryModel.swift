import Operations

/// Makes jobs with any fates and changed dependencies, in which each operation can be told apart by what it runs.
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
            // Earlier entries only, so that there is no cycle; the order of the numbers is as good as any other.
            let dependencies = (0..<(position == 0 ? 0 : chance(0...3))).map { _ in
                let target = chance(0...position - 1)
                return Dependency(on: .entry(target), condition: condition(canFail: entries[target].array == nil))
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
            return OperationFate(outcome: outcomes[chance(0...5)], hasResult: chance(0...1) == 0)
        }
        return (job, fates, changes(job))
    }

    /// Other dependencies for some operations, on single ones before them.
    private mutating func changes(_ job: JobRecord) -> [UInt32: [Dependency]] {
        var changed: [UInt32: [Dependency]] = [:]
        guard chance(0...1) == 0 else { return changed }
        for index in 1..<UInt32(max(2, job.submission.operationCount)) where chance(0...3) == 0 {
            changed[index] = (0..<chance(0...3)).map { _ in
                let target = OperationID(job: job.number, index: UInt32(chance(0...Int(index) - 1)))
                return Dependency(on: .existing(.operation(target)), condition: condition(canFail: true))
            }
        }
        return changed
    }

    private mutating func condition(canFail: Bool) -> DependencyCondition {
        canFail && chance(0...2) == 0 ? .failure : chance(0...1) == 0 ? .any : .success
    }

    private mutating func chance(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
}

/// What a retry has to say, operation by operation: slow, and simple.
struct RetryModel {
    /// What an operation runs, which tells it from all others.
    struct Identity: Hashable {
        var command: String
        var number: Int64?
        var item: String?
    }

    /// A dependency between two single operations; the address is kept where the target is not retried.
    struct Edge: Hashable {
        var target: Identity
        var isExisting: Bool
        var condition: DependencyCondition
    }

    private let job: JobRecord
    private let fates: [OperationFate]
    private let changed: [UInt32: [Dependency]]
    /// All operations of the job with their entries, in the order of their indices.
    private var operations: [(identity: Identity, entry: Int)] = []

    init(job: JobRecord, fates: [OperationFate], changed: [UInt32: [Dependency]]) {
        self.job = job
        self.fates = fates
        self.changed = changed
        for entry in job.submission.entries.indices {
            operations += Self.identities(of: entry, in: job.submission).map { ($0, entry) }
        }
        retried = Set(operations.indices.filter { fates[$0].isRetried })
        var count = 0
        repeat {
            count = retried.count
            // Of what failed, all came true that it needed.
            for index in retried where fates[index].outcome != .failed {
                for dependency in dependencies(of: index) where dependency.condition == .success {
                    retried.formUnion(allTargets(of: dependency.target).filter { fates[$0].outcome == .cancelled })
                }
            }
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
                for target in targets(of: dependency.target) {
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

    private func targets(of target: Dependency.Target) -> [Int] {
        let all = allTargets(of: target)
        guard case .entry(let entry) = target, job.submission.entries[entry].array != nil else { return all }
        return all.filter { fates[$0].outcome != .succeeded || fates[$0].hasResult }
    }

    private func allTargets(of target: Dependency.Target) -> [Int] {
        switch target {
        case .existing(.operation(let id)): [Int(id.index)]
        case .existing: []
        case .entry(let entry): operations.indices.filter { operations[$0].entry == entry }
        }
    }

    /// The dependencies that the operations of a retry have, single operation by single operation; nil where an operation
    /// comes twice.
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
                case .existing: return nil
                }
            }
            for identity in Self.identities(of: entry, in: retry) {
                guard result.updateValue(edges, forKey: identity) == nil else { return nil }
            }
        }
        return result
    }
}
