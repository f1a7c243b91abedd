@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues
import Testing

@_spi(Baton) @testable import BatonScheduler

/// Random histories of arrays that depend on each other element by element, beside the same histories of single operations.
@Suite("Random histories of elements", .timeLimit(.minutes(60)))
struct ElementRandomTests {
    @Test("EL2 Elements behave as single operations with a dependency each", arguments: UInt64(1)...300)
    func likeSingleOperations(seed: UInt64) {
        var pair = Pair(seed: seed)
        for _ in 0..<40 {
            pair.step()
            guard pair.areAlike(seed) else { return }
        }
        pair.complete()
        _ = pair.areAlike(seed)
    }
}

/// Two clusters with the same operations: in arrays, and singly.
private struct Pair {
    private var random: SplitMix
    private var clusters = [Cluster(), Cluster()]
    private let job = JobNumber(1)
    private let count: Int

    init(seed: UInt64) {
        random = SplitMix(seed: seed)
        let length = random.number(1...6)
        let levels = random.number(2...4)
        count = length * levels
        var arrays: [Entry] = []
        var singles: [Entry] = []
        for level in 0..<levels {
            let priority: Priority = random.chance(30) ? .high : .normal
            let isHeld = random.chance(10)
            var targets: [(level: Int, condition: DependencyCondition)] = []
            for _ in 0..<(level == 0 ? 0 : random.number(1...2)) {
                let condition = random.pick(DependencyCondition.allCases) ?? .success
                targets.append((random.number(0...level - 1), random.chance(60) ? .success : condition))
            }
            arrays.append(
                Entry(
                    priority: priority,
                    isHeld: isHeld,
                    dependencies: targets.map { Dependency(on: .elements($0.level), condition: $0.condition) },
                    array: .numbers(first: 0, step: 1, count: length)
                )
            )
            for position in 0..<length {
                singles.append(
                    Entry(
                        priority: priority,
                        isHeld: isHeld,
                        dependencies: targets.map {
                            Dependency(on: .entry($0.level * length + position), condition: $0.condition)
                        }
                    )
                )
            }
        }
        for (place, entries) in [arrays, singles].enumerated() {
            let submission = Submission(queueNames: ["default"], templates: [.noOperation], entries: entries)
            _ = clusters[place].answer(to: submission)
        }
        join()
    }

    private mutating func join() {
        let slots = random.number(1...4)
        for place in clusters.indices { clusters[place].join("w1", slots: slots) }
    }

    /// Does the same in both clusters.
    private mutating func both(_ body: (inout Cluster) -> Void) {
        for place in clusters.indices { body(&clusters[place]) }
    }

    private func id(_ index: Int) -> OperationID { OperationID(job: job, index: UInt32(index)) }

    private var executing: [OperationID] {
        (0..<count).map(id).filter { clusters[0].scheduler.record(of: $0)?.state == .executing }
    }

    mutating func step() {
        let one = random.number(0...count - 1)
        let last = random.chance(50) ? one : random.number(one...count - 1)
        let chosen = OperationSelection.operations(job, UInt32(one)..<UInt32(last) + 1)
        let single = id(one)
        switch random.number(0...99) {
        case ..<55: finishOne()
        case ..<62: both { $0.cancel(chosen) }
        case ..<69: both { $0.hold(chosen) }
        case ..<80: both { $0.release(chosen) }
        case ..<86:
            let target = Address.operation(id(random.number(0...one)))
            both { cluster in cluster.request { .undepend(single, [target], request: $0) } }
        case ..<91:
            guard one > 0 else { return }
            let target = Dependency.after(id(random.number(0...one - 1)))
            both { _ = $0.depend(single, target) }
        case ..<95:
            both { $0.restart() }
            join()
            both { $0.pass(.seconds(60)) }
        default: both { $0.pass(.seconds(1)) }
        }
    }

    private mutating func finishOne() {
        guard let next = random.pick(executing) else { return }
        let isCancelled = clusters[0].scheduler.record(of: next)?.isCancelled == true
        let end: AttemptEnd =
            isCancelled ? .cancelled(exitStatus: nil, signal: 15) : .exited(random.chance(70) ? 0 : 1)
        let result: [UInt8]? = end == .exited(0) && random.chance(50) ? [1] : nil
        both { $0.finish(next, end, result: result) }
    }

    mutating func complete() {
        both { cluster in cluster.release(.job(JobNumber(1))) }
        while !executing.isEmpty { finishOne() }
    }

    /// Expects the same of both clusters.
    func areAlike(_ seed: UInt64) -> Bool {
        for index in 0..<count {
            let records = clusters.map { $0.scheduler.record(of: id(index)) }
            let ends = clusters.map { $0.last(id(index)) }
            let areAlike =
                records[0]?.state == records[1]?.state && ends[0]?.outcome == ends[1]?.outcome
                && ends[0]?.skippedFor == ends[1]?.skippedFor
            #expect(areAlike, "seed \(seed), \(index): \(ends[0] as Any), alone \(ends[1] as Any)")
            guard areAlike else { return false }
        }
        let starts = clusters.map { cluster in
            cluster.started.map { "\($0.operation)\($0.hasInputs ? " with inputs" : "")" }
        }
        #expect(starts[0] == starts[1], "seed \(seed)")
        return starts[0] == starts[1]
    }
}
